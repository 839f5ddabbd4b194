/**
 * What versions must agree on to process one another's messages. `words` lists the message types, the calls and the
 * shapes of computed data; a test compares them with the product's. Increase `number` whenever one of them changes in
 * form or meaning: a process with a lower number than one that has run on the same stores no longer runs lanes.
 */
import { readFileSync } from 'node:fs'

const protocolFile = JSON.parse(readFileSync(new URL('protocol.json', import.meta.url), 'utf8')) as {
  number: number
  words: string[]
}

export const protocol = protocolFile.number
export const protocolWords: readonly string[] = protocolFile.words
