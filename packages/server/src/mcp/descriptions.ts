import type { Corpus } from '@kettle/search';

/** The name of a corpus and, where it has one, its description, as one or two sentences. */
export function aboutCorpus({ name, description }: Corpus): string {
  if (description === '') return `${name}.`;
  return `${name}: ${/[.!?]$/.test(description) ? description : `${description}.`}`;
}

/** What a client may tell its model about this server as a whole. */
export function instructions(corpus: Corpus): string {
  return `${aboutCorpus(corpus)}

Call \`search\` first when a question may be answered by these documents, in the words of the question, and again in other words when the passages don't answer it. Call \`get_document\` when a passage is right but too short, and \`list_documents\` to see what there is. Answer from what the documents say, name the documents, and say so when they don't hold the answer.`;
}
