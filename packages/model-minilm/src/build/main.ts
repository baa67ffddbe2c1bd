import path from 'node:path';
import { model, modelsDirectory } from '../index.js';
import { checkContent, hasContent, writeAtomically } from './files.js';
import { modelFiles } from './model-files.js';

/** Files that are already right are left alone, so that a second build costs one hash each. */
async function build(): Promise<void> {
  for (const file of modelFiles) {
    const target = path.join(modelsDirectory, model.id, file.path);
    if (await hasContent(target, file.sha256)) continue;
    const bytes = await file.content();
    checkContent(
      target,
      bytes,
      file.sha256,
      'The conversion no longer gives the model that was tested. If the change is meant, run the tests and update the hash in src/build/model-files.ts.',
    );
    await writeAtomically(target, bytes);
  }
}

await build().catch((error: unknown) => {
  process.stderr.write(`model-minilm: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
