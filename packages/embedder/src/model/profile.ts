/** How the vectors of a text's tokens become one: their mean, or that of the first token. */
export type Pooling = 'mean' | 'cls';

/** What a model wants of those who use it. Models give poor vectors, not errors, when this isn't heeded. */
export interface ModelProfile {
  readonly pooling: Pooling;
  /** Put before each question. */
  readonly queryPrefix: string;
  /** Put before each passage. */
  readonly passagePrefix: string;
  /** Longest input in tokens, with prefix and special tokens: what the model was trained to read. */
  readonly maxInputTokens: number;
}

interface KnownFamily {
  /** Matched against the model's name without its organisation, in lower case. */
  readonly name: RegExp;
  readonly profile: ModelProfile;
}

const plain = { pooling: 'mean', queryPrefix: '', passagePrefix: '' } as const;

/** Families whose needs their authors' model cards state. Files on the hub mostly don't. */
const families: readonly KnownFamily[] = [
  // sentence_bert_config.json of each: 256 for the first, 512 for the second, 128 for the others.
  { name: /^all-minilm-l6-v[12]$/, profile: { ...plain, maxInputTokens: 256 } },
  { name: /^multi-qa-minilm-l6-(cos|dot)-v1$/, profile: { ...plain, maxInputTokens: 512 } },
  {
    name: /^(all|paraphrase|paraphrase-multilingual)-minilm-l\d+-v\d$/,
    profile: { ...plain, maxInputTokens: 128 },
  },
  // "Each input text should start with "query: " or "passage: ", even for non-English texts."
  {
    name: /^(multilingual-)?e5-(small|base|large)(-v2)?$/,
    profile: { pooling: 'mean', queryPrefix: 'query: ', passagePrefix: 'passage: ', maxInputTokens: 512 },
  },
  // The English models want an instruction before the question, and none before the passage.
  {
    name: /^bge-(small|base|large)-en(-v1\.5)?$/,
    profile: {
      pooling: 'cls',
      queryPrefix: 'Represent this sentence for searching relevant passages: ',
      passagePrefix: '',
      maxInputTokens: 512,
    },
  },
];

/** The profile of a model of a family we know by name, such as `Xenova/multilingual-e5-small`. */
export function knownProfile(model: string): ModelProfile | undefined {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return families.find((family) => family.name.test(name))?.profile;
}
