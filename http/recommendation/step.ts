/** What to do about a finding, a step at a time (decision G-69). */
import { t, type Static } from '#engine/value/schema.ts'

export const Step = t.Object(
  {
    order: t.Integer({ minimum: 1 }),
    text: t.String(),
    command: t.Optional(t.String({ description: 'the command to run, if the step has one' })),
  },
  { title: 'RemediationStep' },
)

/** Behind the end of a sentence, before the next; before a number that a line or a sentence begins with. */
const between = /\n+|(?<=[.!?])\s+(?=["“`(]?[\p{Lu}\d])/u
const numbering = /^(?:\d+[.)]|[-*])\s*/
const quotedCommand = /`([^`]+)`/

/** The sentences of a text, or its numbered lines; a number that stands by itself goes with what follows. */
export const stepsOf = (remediation: string): Static<typeof Step>[] =>
  remediation
    .split(between)
    .map((sentence) => sentence.trim().replace(numbering, ''))
    .filter((sentence) => sentence !== '')
    .map((text, at) => {
      const command = quotedCommand.exec(text)?.[1]
      return { order: at + 1, text, ...(command !== undefined && { command }) }
    })
