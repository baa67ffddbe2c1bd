// The build puts the module beside this declaration: see scripts/bundle-tokenizers.mjs.
export { AutoTokenizer, env, type PreTrainedTokenizer } from '@xenova/transformers';
