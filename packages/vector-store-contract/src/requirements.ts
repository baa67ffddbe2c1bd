/** What the documentation of `VectorStore` promises. Every case cites one of these, and each is cited. */
export const requirements = {
  description: 'A store says what it is: specification version, backend, fingerprint, capabilities.',
  nearest: 'A query gives the nearest records, with their cosine distance to within 1e-4.',
  order: 'Hits ascend by distance, ties by id in code unit order.',
  direction: 'Vectors of any length are compared by direction.',
  'full-answer': 'A query gives min(topK, number of records) hits; an empty store gives none.',
  within:
    'With `within`, only those ids take part, and the answer is as long as if the store held no others.',
  upsert: 'Upsert adds records or replaces those with the same id; of equal ids in one call the last stays.',
  'all-or-nothing': 'All of the input is checked before anything is stored.',
  refusal: 'Wrong input is refused with the code that says why.',
  ids: 'Every allowed id is kept as it is, and `ids` gives every id once.',
  delete: 'A deleted record is gone for good; ids that are not there are passed over.',
  clear: 'Clear removes every record, and the store stays usable.',
  abort: "A call whose signal is aborted rejects with the signal's reason.",
  concurrency: 'Methods may be called concurrently.',
  'input-read': 'What was passed in is read before the call returns its promise.',
  close: 'Closing twice is harmless; calls under way and later ones reject with `closed`.',
  persistence: 'What was persisted is there when the store is opened again.',
  volatility: 'Where nothing outlives the process, persist does nothing.',
  fingerprint: 'A store refuses stored data of another fingerprint, and leaves it as it is.',
} as const;

export type Requirement = keyof typeof requirements;
