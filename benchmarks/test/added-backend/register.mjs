// For `node --import`: the registry of backends has one more in this process and all that it starts.
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);
