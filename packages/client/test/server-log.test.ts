import { expect, it } from 'vitest';
import { readableLogLine } from '../src/server-log.js';

it.each([
  [
    '{"level":40,"time":1,"name":"kettle","file":"a.txt","msg":"a file is left out"}',
    'warning: a file is left out',
  ],
  ['{"level":50,"msg":"it failed","err":{"message":"ENOSPC","stack":"x"}}', 'error: it failed: ENOSPC'],
  ['{"level":50,"msg":"it failed: ENOSPC","err":{"message":"ENOSPC"}}', 'error: it failed: ENOSPC'],
  ['{"level":30,"msg":"the index is level"}', 'the index is level'],
  ['{"level":40,"msg":"odd","err":null}', 'warning: odd'],
  ['kettle: installing dependencies', 'kettle: installing dependencies'],
  ['null', 'null'],
  ['{"no":"log line"}', '{"no":"log line"}'],
  ['', ''],
])('%s is read as: %s', (line, readable) => {
  expect(readableLogLine(line)).toBe(readable);
});
