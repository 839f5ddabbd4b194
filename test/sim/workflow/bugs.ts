/** Defects put in on purpose, each by changing what the code under test is given or gives: the model must find every one. */
import { workflowActor } from '#actors/workflow/actor.ts'
import type { WorkflowPlan, WorkflowJob } from '#actors/workflow/entity.ts'
import { guardActor } from '#actors/workflow/guard/guard.ts'
import type { Guard } from '#actors/workflow/guard/entity.ts'
import { hashOf } from '#actors/workflow/plan/plan.ts'
import type { WarrantRow } from '#actors/workflow/plan/warrant.ts'
import type { Actor, Reaction } from '#engine/actor/actor.ts'
import type { TurnOutcome } from '#engine/lane/message/mailbox.ts'
import { sameData } from '#engine/actor/row.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { CloudAction, Connector } from '#streams/cloud/connector.ts'
import { factsJudged, guardAsked, guardLeft, powerHeld, workflowDecided, workflowWanted } from '#streams/workflow.ts'
import type { Run } from '#test/sim/workflow/record.ts'

export interface Bug {
  actor?: (actor: Actor) => Actor
  turned?: (kind: string, outcome: TurnOutcome) => void
  /** What is read of what a workflow has to show. */
  warrant?: (row: WarrantRow, run: Run) => WarrantRow
  connector?: (connector: Connector, run: Run) => Connector
}

type Handle = (row: never, data: never, turn: Turn) => void

/** One reaction of an actor is another one. */
const reacting =
  (
    kind: string,
    name: string,
    alter: (reaction: Reaction<object>) => Partial<Reaction<object>>,
  ): Required<Bug>['actor'] =>
  (actor) => {
    if (actor.kind !== kind) return actor
    const reaction = actor.reactions.get(name)!
    return { ...actor, reactions: new Map([...actor.reactions, [name, { ...reaction, ...alter(reaction) }]]) }
  }

const handling = (kind: string, name: string, alter: (handle: Handle) => Handle): Required<Bug>['actor'] =>
  reacting(kind, name, (reaction) => ({ handle: alter(reaction.handle as Handle) as Reaction<object>['handle'] }))

const workflow = workflowActor.kind

/** Messages that are never sent. */
const without =
  (...names: readonly string[]): Required<Bug>['turned'] =>
  (_, outcome) => {
    outcome.outbox = outcome.outbox.filter(({ body }) => !names.some((name) => body.includes(`"type":"${name}"`)))
  }

/** Reminders that are never set, of workflows of these statuses. */
const withoutReminder =
  (name: string, ...statuses: readonly string[]): Required<Bug>['turned'] =>
  (kind, { reminders, state }) => {
    if (kind === workflow && statuses.includes(state['status'] as string) && reminders.get(name)) reminders.delete(name)
  }

const allApprove = (row: WarrantRow): WarrantRow => ({ ...row, admins: row.approvals.map(({ userId }) => userId) })
const freshly = (row: WarrantRow): WarrantRow => ({
  ...row,
  approvals: row.approvals.map((approval) => ({ ...approval, at: new Date(8e15).toISOString() })),
})

/** As if what there is now had been approved. */
function rehashed(row: WarrantRow, plan: WorkflowPlan = row.plan): WarrantRow {
  const planHash = hashOf(plan)
  return { ...row, plan, planHash, approvals: row.approvals.map((approval) => ({ ...approval, planHash })) }
}

const calling = (row: WarrantRow, { input }: Run): WarrantRow => ({
  ...row,
  status: 'running',
  stepId: row.stepId ?? row.steps.find(({ kind }) => kind === 'execute' || kind === 'pause_service')!.id,
  ops: row.ops.map((op, i) => (i === (input['index'] ?? i) ? { ...op, state: 'running' } : op)),
})

const acting =
  (alter: (act: Connector['act'], run: Run) => Connector['act']): Required<Bug>['connector'] =>
  (connector, run) => ({ ...connector, act: alter((account, action) => connector.act(account, action), run) })

let named = 0

export const bugs: Readonly<Record<string, Bug>> = {
  'a gate that is gone, and nobody asks for it': {
    actor: handling(workflow, workflowWanted.name, ungated),
    warrant: (row) => rehashed(row, { ...row.plan, template: 'start' }),
  },
  'a plan that is changed behind its approval, whatever its hash': {
    actor: handling(workflow, factsJudged.name, replanned),
    warrant: (row) => rehashed(row),
  },
  'roles that are not read again': { warrant: allApprove },
  'a kill switch that is not read again': { warrant: (row) => ({ ...row, halted: false }) },
  'a workflow that is over, whose calls are made': { warrant: calling },
  'approvals that are good for ever': { warrant: freshly, turned: withoutReminder('expires', 'running') },
  'the reminder of an approval that is lost': { turned: withoutReminder('expires', 'awaiting_user') },
  'one person who approves for two': {
    actor: handling(workflow, workflowDecided.name, asOthers),
    warrant: allApprove,
  },
  'repeats that are blind': {
    connector: (connector) => ({
      ...connector,
      repeats: Object.fromEntries(Object.keys(connector.repeats).map((kind) => [kind, 'token'])),
    }),
  },
  'a call that has another name each time': {
    connector: acting(
      (act) => (account, action: CloudAction) => act(account, { ...action, id: `${action.id}-${++named}` }),
    ),
  },
  'no look before a call': {
    connector: (connector, { name }) =>
      name === 'operate' ? { ...connector, look: async () => ({ exists: true }) } : connector,
  },
  'a snapshot that is not waited for': {
    connector: acting((act) => async (account, action) => {
      const said = await act(account, action)
      return action.kind === 'snapshot' ? { status: 'succeeded' } : said
    }),
  },
  'a machine that nobody holds': { turned: without(powerHeld.name) },
  'a grant that is left': { turned: without(guardLeft.name) },
  'a guard that forgets': { actor: handling(guardActor.kind, guardAsked.name, forgetful) },
  'facts that are not judged anew': { actor: handling(workflow, factsJudged.name, unjudged) },
  'a machine that is left off': {
    turned: (_, outcome) => {
      outcome.outbox = outcome.outbox.filter(({ body }) => !body.includes('/undo/'))
    },
  },
  'two workflows that begin at once': { actor: reacting(workflow, workflowWanted.name, () => ({ barrier: false })) },
  'mails that are not sent': {
    turned: (_, outcome) => {
      outcome.effects = outcome.effects.filter(({ name }) => name !== 'mail-workflow')
    },
  },
}

function ungated(handle: Handle): Handle {
  return (row: WorkflowJob, data, turn) => {
    handle(row as never, data, turn)
    row.steps = row.steps.filter(({ kind }) => kind !== 'approval')
  }
}

type Judged = { outcome: string; targetSpec: Record<string, unknown> | null }

/** What the rule says now is done, whoever has approved what it said before. */
function replanned(handle: Handle): Handle {
  return (row: WorkflowJob, data: Judged, turn) => {
    const { plan } = row
    const { targetSpec } = data
    if (data.outcome === 'fires' && targetSpec && !sameData(targetSpec, plan.targetSpec)) {
      const size = targetSpec['instance_type'] as string
      const specs = targetSpec
      const ops = plan.ops.map((op) => ({ ...op, ...(op.size && { size }), ...(op.specs && { specs }) }))
      row.plan = { ...plan, targetSpec, ops }
    }
    handle(row as never, data as never, turn)
  }
}

function unjudged(handle: Handle): Handle {
  return (row: WorkflowJob, data: Judged, turn) =>
    handle(row as never, { ...data, outcome: 'fires', targetSpec: row.plan.targetSpec } as never, turn)
}

/** Whoever says yes again counts as somebody else. */
function asOthers(handle: Handle): Handle {
  return (row: WorkflowJob, data: { userId: string }, turn) =>
    handle(row as never, { ...data, userId: `${data.userId}+${row.approvals?.length}` } as never, turn)
}

function forgetful(handle: Handle): Handle {
  return (row: Guard, data, turn) => {
    row.grants = []
    handle(row as never, data, turn)
  }
}
