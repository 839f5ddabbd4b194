/**
 * State machines: actors whose row is always in one of a few states. One table says, for each state and each input,
 * which handler runs and which states may follow. The actor's reactions run this table, and its diagram is printed from
 * it.
 */
import { Fault } from '#engine/value/fault.ts'
import type { Static, TSchema } from '#engine/value/schema.ts'
import type { Subject } from './subject.ts'
import type { Turn } from './turn.ts'

/** The state of an actor without a row, for machines that name it. In the diagram it is the start and the end. */
const absent = 'absent'

/** A message or reminder that a machine takes. */
export interface Input<S extends TSchema = TSchema> {
  subject: Subject<S>
  /** The label of arrows in the diagram: plain English without a colon. */
  label: string
  /** Whether a message is this input. Of several inputs with the same subject, the first match counts. */
  is(message: Static<S>): boolean
}

export const input = <S extends TSchema>(
  subject: Subject<S>,
  label: string,
  is: (message: Static<S>) => boolean = () => true,
): Input<S> => ({ subject, label, is })

type Inputs = Readonly<Record<string, Input>>
type MessageOf<I> = I extends Input<infer S> ? Static<S> : never

interface Transition<Row, Message, Needs, State extends string> {
  handle: (row: Row, message: Message, turn: Turn<Needs>) => void
  /** The states that may follow. Staying in the same state is always allowed. */
  next?: readonly State[]
}

export interface Machine<Row, Needs, State extends string, I extends Inputs> {
  name: string
  /** Their names in the diagram. A machine without the state `absent` starts in the first one. */
  states: Readonly<Record<State, string>>
  stateOf: (row: Row) => State
  inputs: I
  /** An input without an entry is ignored in that state. */
  transitions: Readonly<
    Record<State, { readonly [Name in keyof I]?: Transition<Row, MessageOf<I[Name]>, Needs, State> }>
  >
}

/**
 * The actor's reaction to a subject: the entry of the table for the row's state and for the input that the message is.
 * It throws Fault `defect` `unlisted_transition` if the row ends in a state that the entry does not list, and then
 * nothing has changed.
 */
export function handlerOf<Row, Needs, State extends string, I extends Inputs, S extends TSchema>(
  machine: Machine<Row, Needs, State, I>,
  subject: Subject<S>,
): (row: Row, message: Static<S>, turn: Turn<Needs>) => void {
  const inputs = Object.entries(machine.inputs).filter(([, one]) => one.subject.name === subject.name)
  if (inputs.length === 0) throw new Error(`the machine ${machine.name} has no input for ${subject.name}`)
  return (row, message, turn) => {
    const [name] = inputs.find(([, one]) => one.is(message)) ?? []
    const from = machine.stateOf(row)
    const transition = name === undefined ? undefined : machine.transitions[from][name]
    if (!transition) return
    transition.handle(row, message as MessageOf<I[string]>, turn)
    const to = stateAfter(machine, row, turn)
    if (to !== from && !transition.next?.includes(to))
      throw new Fault('defect', 'unlisted_transition', `${machine.name} may not go from ${from} to ${to} on ${name}.`)
  }
}

/** The state that a turn leaves the row in; without a row, `absent` if the machine names it. */
export const stateAfter = <Row, State extends string>(
  { states, stateOf }: Pick<Machine<Row, never, State, Inputs>, 'states' | 'stateOf'>,
  row: Row,
  { isRemoved }: Pick<Turn, 'isRemoved'>,
): State => (isRemoved && absent in states ? (absent as State) : stateOf(row))

export interface Arrow {
  from: string
  input: string
  to: string
}

/** All moves from one state to another that the table lists. */
export const arrowsOf = <Row, Needs, State extends string, I extends Inputs>({
  states,
  inputs,
  transitions,
}: Machine<Row, Needs, State, I>): Arrow[] =>
  (Object.keys(states) as State[]).flatMap((from) =>
    Object.keys(inputs).flatMap((name) =>
      (transitions[from][name]?.next ?? []).filter((to) => to !== from).map((to): Arrow => ({ from, input: name, to })),
    ),
  )

/**
 * The machine as a Mermaid diagram: one arrow for each pair of states, with all inputs that lead from one to the other.
 */
export function diagramOf<Row, Needs, State extends string, I extends Inputs>(
  machine: Machine<Row, Needs, State, I>,
): string {
  const { states, inputs } = machine
  const named = Object.entries<string>(states).filter(([state]) => state !== absent)
  const start = absent in states ? [] : [`[*] --> ${named[0]![0]}`]
  const nodeOf = (state: string) => (state === absent ? '[*]' : state)
  const pairs = Map.groupBy(arrowsOf(machine), ({ from, to }) => `${nodeOf(from)} --> ${nodeOf(to)}`)
  const arrows = [...pairs].map(([pair, of]) => {
    const labels = new Set(of.map((arrow) => inputs[arrow.input]!.label))
    return `${pair}: ${[...labels].join(', ')}`
  })
  const lines = [...named.map(([state, label]) => `${state}: ${label}`), ...start, ...arrows]
  return ['```mermaid', 'stateDiagram-v2', ...lines.map((line) => `    ${line}`), '```'].join('\n')
}
