/**
 * What versions must agree on to run one another's messages: `words` are the types of messages, the calls and the shapes that
 * are worked out anew. A test compares them with the product's own. Whenever they change, or mean something else, `number` is
 * raised: a process whose number is lower than that of one which has run on the same stores runs no lane any more.
 */
import { readFileSync } from 'node:fs'

const protocolFile = JSON.parse(readFileSync(new URL('protocol.json', import.meta.url), 'utf8')) as {
  number: number
  words: string[]
}

export const protocol = protocolFile.number
export const protocolWords: readonly string[] = protocolFile.words
