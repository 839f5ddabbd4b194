/**
 * A copy of a text that is kept. A part of a text refers to the whole one: a few kept cells would keep every chunk of a
 * file in memory.
 */
export const ownCopy = (text: string): string =>
  text.length < sharedMin ? text : Buffer.from(text, 'utf16le').toString('utf16le')

/** Shorter parts are copies already. */
const sharedMin = 13
