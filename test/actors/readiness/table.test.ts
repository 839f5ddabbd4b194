import { expect } from 'chai'
import { moves } from '#actors/readiness/tell.ts'
import { planStatuses, type PlanStatus } from '#streams/readiness.ts'
import type { Done } from '#test/harness/turn.ts'
import { planIn, transitions, type Plan } from './plan.ts'

type Trigger = (plan: Plan) => Done

/** What people ask for and executors tell: an answer is awaited, so a pair that is not listed is refused. */
const asked: Readonly<Record<string, Trigger>> = {
  schedule: (plan) => plan.schedule(),
  retry: (plan) => plan.schedule('failed'),
  'retry to draft': (plan) => plan.command('draft'),
  reopen: (plan) => plan.command('reopen'),
  cancel: (plan) => plan.command('cancel'),
  delete: (plan) => plan.command('delete'),
  patch: (plan) => plan.patch({ name: 'Cyber Monday' }),
  ...Object.fromEntries(
    planStatuses.map((status) => [`callback ${status}`, (plan: Plan) => plan.callBack(status)] as const),
  ),
}

/** What comes by itself: where nothing waits for it, nothing follows. */
const told: Readonly<Record<string, Trigger>> = {
  'reminder ack': (plan) => plan.due('ack'),
  'reminder up': (plan) => plan.due('up', Math.max(plan.actor.now, Date.parse('2030-11-29T13:30:00Z'))),
  'reminder down': (plan) => plan.due('down', Math.max(plan.actor.now, Date.parse('2030-11-29T18:45:00Z'))),
  'reserved by the last': (plan) => (plan.reserved('web'), plan.report('api', 'reserved', 'succeeded')),
  'refused by one': (plan) => plan.report('web', 'reserved', 'failed'),
  'raised by the last': (plan) => (plan.raised('web'), plan.report('api', 'raised', 'succeeded')),
  'not raised by one': (plan) => plan.report('web', 'raised', 'failed'),
  'restored by the last': (plan) => (plan.restored('web'), plan.report('api', 'restored', 'succeeded')),
}

/** Every change of the interface's table, completed by section 9 of the decisions; an empty one is an answer that changes nothing. */
const listed: Readonly<Record<PlanStatus, Readonly<Record<string, PlanStatus | ''>>>> = {
  draft: { schedule: 'scheduling', cancel: 'cancelled', delete: 'cancelled', patch: '', 'callback draft': '' },
  scheduling: {
    cancel: 'cancelled',
    delete: 'cancelled',
    patch: '',
    'callback scheduling': '',
    'callback scheduled': 'scheduled',
    'callback failed': 'failed',
    'reminder ack': 'failed',
    'reminder down': 'failed',
    'reserved by the last': 'scheduled',
    'refused by one': 'failed',
  },
  scheduled: {
    cancel: 'cancelled',
    delete: 'cancelled',
    patch: '',
    'callback scheduled': '',
    'callback failed': 'failed',
    'reminder up': 'scaling_up',
    'reminder down': 'failed',
    'refused by one': 'failed',
  },
  scaling_up: {
    cancel: 'cancelled',
    'callback scaling_up': '',
    'callback active': 'active',
    'callback failed': 'failed',
    'reminder ack': 'failed',
    'reminder down': 'failed',
    'raised by the last': 'active',
    'not raised by one': 'failed',
  },
  active: {
    cancel: 'cancelled',
    'callback active': '',
    'callback failed': 'failed',
    'reminder down': 'scaling_down',
    'not raised by one': 'failed',
  },
  scaling_down: {
    cancel: 'cancelled',
    'callback scaling_down': '',
    'callback completed': 'completed',
    'callback failed': 'failed',
    'restored by the last': 'completed',
  },
  completed: { reopen: 'draft', cancel: 'cancelled', delete: '', 'callback completed': '' },
  failed: {
    retry: 'scheduling',
    'retry to draft': 'draft',
    cancel: 'cancelled',
    delete: '',
    'callback failed': '',
  },
  cancelled: { delete: '', 'callback cancelled': '' },
}

/** The codes of those that have one of their own. */
const codes: Readonly<Record<string, string>> = { delete: 'plan_in_progress', patch: 'plan_not_schedulable' }

const ids = (from: PlanStatus): string =>
  ({
    draft: '[EVR-30] [EVR-31]',
    scheduling: '[EVR-32] [EVR-33]',
    scheduled: '[EVR-34] [EVR-35]',
    scaling_up: '[EVR-36] [EVR-37]',
    active: '[EVR-38] [EVR-39]',
    scaling_down: '[EVR-40] [EVR-41]',
    failed: '[EVR-42]',
    completed: '[EVR-43]',
    cancelled: '[G-82]',
  })[from]

describe('the state table of plans', () => {
  for (const from of planStatuses) {
    for (const [name, trigger] of Object.entries({ ...asked, ...told })) {
      const to = listed[from][name]
      if (to) {
        it(`${from} becomes ${to} by: ${name} ${ids(from)}`, () => {
          const plan = planIn(from)
          const done = trigger(plan)
          expect([plan.status, done.refused]).to.deep.equal([to, undefined])
          const [line, ...more] = transitions(done)
          expect([line?.split(' ')[0], more]).to.deep.equal([`${from}>${to}`, []])
        })
      } else if (to === '' || name in told) {
        it(`${from} stays so by: ${name} ${ids(from)}`, () => {
          const plan = planIn(from)
          const done = trigger(plan)
          expect([plan.status, done.refused, transitions(done)]).to.deep.equal([from, undefined, []])
        })
      } else {
        it(`${from} refuses: ${name} ${ids(from)}`, () => {
          const plan = planIn(from)
          const before = plan.snapshot()
          const done = trigger(plan)
          expect(done.refused).to.equal(codes[name] ?? 'invalid_transition')
          expect([plan.snapshot(), done.facts, done.emitted]).to.deep.equal([before, [], []])
        })
      }
    }
  }

  it('has the changes that may be, and no others [EVR-29]', () => {
    const reached = planStatuses.map((from) => {
      const to = new Set(Object.values(listed[from]).filter((one) => one !== ''))
      return [from, planStatuses.filter((one) => to.has(one))]
    })
    const may = planStatuses.map((from) => [from, planStatuses.filter((one) => moves[from].includes(one))])
    expect(reached).to.deep.equal(may)
    expect(Object.keys(moves)).to.have.members([...planStatuses])
  })
})
