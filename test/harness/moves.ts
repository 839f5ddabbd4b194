/** Which moves of a machine its actor makes while a test runs. */
import type { Actor } from '#engine/actor/actor.ts'
import { arrowsOf, type Arrow, type Input, type Machine } from '#engine/actor/machine.ts'

type Inputs = Readonly<Record<string, Input>>

const textOf = ({ from, input, to }: Arrow): string => `${from}, ${input}: ${to}`

/** Every move that the table lists, sorted. */
export const listedMoves = <Row, Needs, State extends string, I extends Inputs>(
  machine: Machine<Row, Needs, State, I>,
): string[] => arrowsOf(machine).map(textOf).sort()

/** Watches from now on; `stop` ends it and returns every move that was made, once, sorted. */
export function watchMoves<Row extends object, Needs, State extends string, I extends Inputs>(
  actor: Actor<Row>,
  machine: Machine<Row, Needs, State, I>,
): { stop: () => string[] } {
  const moves = new Set<string>()
  const inputs = Object.entries(machine.inputs)
  const watched = [...actor.reactions.values()].map((reaction) => {
    const { handle, subject } = reaction
    const of = inputs.filter(([, one]) => one.subject.name === subject.name)
    reaction.handle = (row, message, turn) => {
      const from = machine.stateOf(row)
      handle(row, message, turn)
      const to = machine.stateOf(row)
      const [input] = of.find(([, one]) => one.is(message)) ?? []
      if (to !== from && input !== undefined) moves.add(textOf({ from, input, to }))
    }
    return () => void (reaction.handle = handle)
  })
  return {
    stop: () => {
      for (const release of watched) release()
      return [...moves].sort()
    },
  }
}
