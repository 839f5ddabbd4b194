/** Machines: a table of states and inputs that is run as it stands, and printed. */
import { expect } from 'chai'
import { arrowsOf, diagramOf, handlerOf, input, type Machine } from '#engine/actor/machine.ts'
import { subject } from '#engine/actor/subject.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { t } from '#engine/value/schema.ts'

interface Door {
  state: 'absent' | 'open' | 'shut' | 'locked'
  pushes: number
}

const declared = { kind: 'actor', summary: 'A door.', place: () => '-' } as const
const doorBuilt = subject({ ...declared, name: 'door.built', schema: t.Object({}), examples: [{}] })
const doorPushed = subject({
  ...declared,
  name: 'door.pushed',
  schema: t.Object({ hard: t.Boolean() }),
  examples: [{ hard: true }],
})
const inputs = {
  built: input(doorBuilt, 'it is built'),
  slammed: input(doorPushed, 'it is slammed', ({ hard }) => hard),
  pushed: input(doorPushed, 'it is pushed'),
}

const goTo =
  (state: Door['state']) =>
  (door: Door): void => {
    door.state = state
    door.pushes += 1
  }

const door: Machine<Door, unknown, Door['state'], typeof inputs> = {
  name: 'door',
  states: { absent: '', open: 'Open', shut: 'Shut', locked: 'Locked' },
  stateOf: ({ state }) => state,
  inputs,
  transitions: {
    absent: { built: { handle: goTo('open'), next: ['open'] } },
    open: {
      slammed: { handle: goTo('locked'), next: ['shut', 'locked'] },
      pushed: { handle: goTo('shut'), next: ['shut'] },
    },
    shut: { slammed: { handle: goTo('absent') }, pushed: { handle: goTo('shut') } },
    locked: { pushed: { handle: goTo('absent'), next: ['absent'] } },
  },
}

const turn = {} as Turn
const push = handlerOf(door, doorPushed)
const after = (state: Door['state'], hard: boolean): Door => {
  const row = { state, pushes: 0 }
  push(row, { hard }, turn)
  return row
}

describe('a machine', () => {
  it('runs the entry of its state and of the input that a message is', () => {
    expect(after('open', false)).to.deep.equal({ state: 'shut', pushes: 1 })
    expect(after('open', true)).to.deep.equal({ state: 'locked', pushes: 1 })
  })

  it('ignores what its state has no entry for', () => {
    expect(after('locked', true)).to.deep.equal({ state: 'locked', pushes: 0 })
    expect(after('absent', false)).to.deep.equal({ state: 'absent', pushes: 0 })
  })

  it('may stay where it is, and refuses a state that its entry does not list', () => {
    expect(after('shut', false)).to.deep.equal({ state: 'shut', pushes: 1 })
    expect(() => after('shut', true)).to.throw('door may not go from shut to absent on slammed')
  })

  it('has no handler for a subject that it has no input for', () => {
    const other = subject({ ...declared, name: 'door.painted', schema: t.Object({}), examples: [{}] })
    expect(() => handlerOf(door, other)).to.throw('the machine door has no input for door.painted')
  })

  it('is printed with one arrow for each pair of states', () => {
    expect(arrowsOf(door)).to.have.length(5)
    expect(diagramOf(door).split('\n')).to.deep.equal([
      '```mermaid',
      'stateDiagram-v2',
      '    open: Open',
      '    shut: Shut',
      '    locked: Locked',
      '    [*] --> open: it is built',
      '    open --> shut: it is slammed, it is pushed',
      '    open --> locked: it is slammed',
      '    locked --> [*]: it is pushed',
      '```',
    ])
  })
})
