/** How to fix a finding, step by step (decision G-69). */
import { t, type Static } from '#engine/value/schema.ts'

export const Step = t.Object(
  {
    order: t.Integer({ minimum: 1 }),
    text: t.String(),
    command: t.Optional(t.String({ description: 'the command to run, if the step has one' })),
  },
  { title: 'RemediationStep' },
)

/** Between sentences: after the end of one, before a capital letter or a number. */
const between = /\n+|(?<=[.!?])\s+(?=["“`(]?[\p{Lu}\d])/u
const numbering = /^(?:\d+[.)]|[-*])\s*/
const quotedCommand = /`([^`]+)`/

/** The sentences of a text, or its numbered lines; a number by itself belongs to what follows. */
export const stepsOf = (remediation: string): Static<typeof Step>[] =>
  remediation
    .split(between)
    .map((sentence) => sentence.trim().replace(numbering, ''))
    .filter((sentence) => sentence !== '')
    .map((text, at) => {
      const command = quotedCommand.exec(text)?.[1]
      return { order: at + 1, text, ...(command !== undefined && { command }) }
    })
