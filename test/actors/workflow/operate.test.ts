import { expect } from 'chai'
import type { WorkflowCallTools } from '#actors/workflow/call/call.ts'
import { operate } from '#actors/workflow/call/effect.ts'
import type { Op, WorkflowPlan } from '#actors/workflow/entity.ts'
import { operateWork } from '#actors/workflow/call/operate.ts'
import { hashOf } from '#actors/workflow/plan/plan.ts'
import { templates } from '#actors/workflow/plan/template.ts'
import type { Fault } from '#engine/value/fault.ts'
import { plan as stopped } from '#test/harness/workflow.ts'

const plan: WorkflowPlan = {
  ...stopped,
  template: 'delete',
  ops: [{ kind: 'delete', expect: { exists: true }, done: { exists: false } }],
}
const call = 'delete/execute/1/0/1'
const input = { cloudAccountId: 'acct-1', jobId: 'job-1', call, index: 0, tries: 1 }
const op: Op = { state: 'running', call, actionId: 'a-1', tries: 1, failures: 0 }
const now = new Date('2026-01-15T10:00:00Z')
const running = {
  status: 'running',
  plan,
  planHash: hashOf(plan),
  stepId: 'delete/execute/1',
  steps: templates.delete.steps.map((step) => ({ ...step, status: 'succeeded' })),
  ops: [op],
  undo: null,
  approvals: [{ stepId: 'delete/approve/1', userId: 'u-2', at: now.toISOString(), planHash: hashOf(plan) }],
  admins: ['u-2'],
  halted: false,
}
const cancelled = { ...running, status: 'cancelled', stepId: null }
const account = {
  name: 'a',
  external_id: 'a',
  regions: [],
  credentials: null,
  billing_export: null,
  status: 'connected',
}

/** Runs it on these rows of the workflow, one after the other; what is asked of the cloud, and what is told. */
async function made(rows: (object | Error)[], { attempt = 1, exists = true, executor = 'embedded' } = {}) {
  const [calls, told, posted]: [string[], any[], any[]] = [[], [], []]
  const cloud = {
    repeats: { delete: 'look' },
    look: async () => ({ exists }),
    act: async () => {
      calls.push('delete')
      return { status: 'succeeded' }
    },
  }
  const tools = {
    reads: {
      rows: async (sql: string) => {
        if (!sql.includes('from workflow_job')) return [account]
        const row = rows.length > 1 ? rows.shift()! : rows[0]!
        if (row instanceof Error) throw row
        return [row]
      },
    },
    publisher: {
      report: async ({ data }: { data: object }) => void told.push(data),
      post: async (...order: unknown[]) => void posted.push(order.slice(1)),
    },
    cloudOf: () => cloud,
    clock: {
      sleep: (_: number, signal: AbortSignal) => new Promise((_done, no) => signal.addEventListener('abort', no)),
    },
    now: () => now,
    executor,
    open: () => null,
  } as unknown as WorkflowCallTools
  const about = { key: 'op/o1/job-1', orgId: 'o1', attempt, signal: new AbortController().signal }
  const fault = await operateWork(tools)
    .run(input, about)
    .then(() => undefined)
    .catch((error: Fault) => error.kind)
  const said = told.map(({ status, refusal, isSo }) => refusal ?? (isSo ? 'it was so' : status))
  return { calls, told: said, fault, ...(posted.length > 0 && { posted }) }
}

describe(`the call ${operate.name} of a workflow`, () => {
  it('is made once it was looked whether it may be, and told', async () => {
    expect(await made([running])).to.deep.equal({ calls: ['delete'], told: ['succeeded'], fault: undefined })
  })

  it('is tried again where our own store fails between the look and the call', async () => {
    const away = new Error('Connection terminated unexpectedly')
    expect(await made([running, away])).to.deep.equal({ calls: [], told: [], fault: 'transient' })
  })

  it('is ordered from an executor of the stream, once it was looked whether it may be, and never made here', async () => {
    // The base64 of i-1.
    const intentId = 'job-1/0/1.aS0x'
    const order = {
      intentId,
      kind: 'delete',
      cloudAccountId: 'acct-1',
      resourceUid: 'i-1',
      params: {},
      source: { type: 'workflow', id: 'job-1' },
      revision: 1,
      dueAt: now.toISOString(),
      attempt: 1,
    }
    const executor = 'stream'
    const sent = { calls: [], told: ['ordered'], fault: undefined, posted: [['o1', intentId, order]] }
    expect(await made([running], { executor })).to.deep.equal(sent)
    expect(await made([cancelled], { executor })).to.deep.equal({ calls: [], told: ['unapproved'], fault: undefined })
    expect((await made([cancelled], { executor, attempt: 2 })).told).to.deep.equal(['unknown'])
    const resize = { kind: 'resize', size: 't3.small', specs: { tier: 'x' }, expect: {}, done: {} }
    const resized = { ...plan, ops: [resize] }
    const approvals = [{ ...running.approvals[0]!, planHash: hashOf(resized as WorkflowPlan) }]
    const row = { ...running, plan: resized, planHash: hashOf(resized as WorkflowPlan), approvals }
    expect((await made([row], { executor })).posted?.[0][2]).to.deep.include({
      kind: 'resize',
      params: { size: 't3.small', specs: { tier: 'x' } },
    })
  })

  it('is not made where its workflow was cancelled, and that is told', async () => {
    for (const rows of [[cancelled], [running, cancelled]])
      expect(await made(rows)).to.deep.equal({ calls: [], told: ['unapproved'], fault: undefined })
  })

  it('is looked for where its workflow was cancelled and a process before may have made it', async () => {
    const after = async (exists: boolean) => (await made([cancelled], { attempt: 2, exists })).told
    expect([await after(false), await after(true)]).to.deep.equal([['it was so'], ['unknown']])
  })

  it('says nothing where nobody waits for it any more', async () => {
    const over = { ...cancelled, ops: [{ ...op, state: 'done' }] }
    expect(await made([over])).to.deep.equal({ calls: [], told: [], fault: undefined })
  })
})
