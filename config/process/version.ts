import { readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './root.ts'

/** The product's version, from its package. */
export const version = (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string })
  .version
