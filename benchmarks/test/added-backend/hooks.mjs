const registry = /\/server\/dist\/backends\.js$/;

/** Gives the registry's module with one more backend: hnsw under a name that nothing else knows. */
export async function load(url, context, next) {
  if (!registry.test(url)) return next(url, context);
  const source = `
    import { backends as registered } from ${JSON.stringify(`${url}?registered`)};
    const hnsw = registered.find(({ name }) => name === 'hnsw');
    const added = { ...hnsw, name: 'outsider', summary: 'a backend that was registered from outside' };
    export const backends = Object.freeze([...registered, added]);
    export const findBackend = (wanted) => backends.find(({ name }) => name === wanted);
  `;
  return { format: 'module', shortCircuit: true, source };
}
