/** Workflows as they are shown: one by one, in lists, with their audit, by either family of routes. */
import { expect } from 'chai'
import { decoder } from '#engine/value/schema.ts'
import { hashOf } from '#actors/workflow/plan/plan.ts'
import { AuditEntry, JobView, ListedJob } from '#http/workflow/body.ts'
import { workflows } from '#http/workflow/routes.ts'
import { auditEvents, workflowStatuses } from '#streams/workflow.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'
import { plan, plantedJobs, steps } from '#test/harness/workflow.ts'

const families = ['/workflows', '/remediation-jobs']
const at = (second: number) => `2026-01-15T10:00:${String(second).padStart(2, '0')}.000Z`
const told = ({ status, body }: Answer) => [
  status,
  body?.code,
  ...(body?.errors ?? []).map((e: any) => `${e.name} ${e.code}`),
]

/** Done, and described in every way: what is optional is all there. */
const ended = {
  recommendation_id: 'rec-2',
  status: 'failed',
  step_id: null,
  reason: 'The cloud does not show what was to be.',
  subject_type: 'resource_group',
  subject_id: 'g-1',
  plan: {
    ...plan,
    template: 'resize' as const,
    ops: [
      { kind: 'stop' as const, expect: {}, done: {} },
      { kind: 'resize' as const, size: 'm5.large', expect: { instanceType: 'm5.xlarge' }, done: {} },
      { kind: 'set' as const, specs: { size_gb: 50, tier: 'cold' }, expect: {}, done: {} },
    ],
    targetSpec: { instance_type: 'm5.large' },
    instruction: 'Ask first.',
    fourEyes: true,
    windows: [{ days: [1], from: '20:00', to: '05:00', timezone: 'UTC' }],
    policies: ['p-1'],
  },
  template: 'resize',
  steps: steps.map((step) => ({
    ...step,
    status: step.kind === 'validate' ? ('failed' as const) : ('succeeded' as const),
    startedAt: at(1),
    completedAt: at(2),
    ...(step.kind === 'validate' && { output: { code: 'not_as_planned' }, errorMessage: 'Not seen.' }),
  })),
  audit: [
    { stepName: 'validate', eventType: 'failed' as const, actor: 'system', reason: 'Not seen.', createdAt: at(5) },
    { stepName: 'approval', eventType: 'approved' as const, actor: 'u-2', createdAt: at(3) },
    { stepName: 'precondition', eventType: 'created' as const, actor: 'system', reason: '', createdAt: at(1) },
    { stepName: 'precondition', eventType: 'completed' as const, actor: 'system', createdAt: at(1) },
  ],
  completed_at: at(5),
  updated_at: at(5),
  created_at: at(0),
}

describe('workflows', () => {
  let org: Tenant
  let waiting: string
  let failed: string
  before(async () => {
    org = await tenant()
    ;[waiting, failed] = (await plantedJobs(org, { recommendation_id: 'rec-1', created_at: at(9) }, ended)) as [
      string,
      string,
    ]
    await plantedJobs(await tenant(), {}, ended)
  })

  it('are shown with exactly these fields while they wait, the step they are at by its name [WF-02] [REM-01]', async () => {
    expect((await org.get(`/workflows/${waiting}`)).body).to.deep.equal({
      data: {
        id: waiting,
        orgID: org.orgId,
        recommendationID: 'rec-1',
        subjectType: 'resource',
        subjectID: 'i-1',
        resourceUid: 'i-1',
        cloudAccountID: 'acct-1',
        template: 'stop',
        templateRevision: 1,
        title: 'Stop EC2 instance web.',
        status: 'awaiting_user',
        currentStep: 'approval',
        steps: [
          {
            id: 'stop/precondition/1',
            name: 'precondition',
            kind: 'precondition',
            reversible: true,
            status: 'succeeded',
            startedAt: '2026-01-15T10:00:00.000Z',
            completedAt: '2026-01-15T10:00:00.212Z',
          },
          {
            id: 'stop/approve/1',
            name: 'approval',
            kind: 'approval',
            approvals: 1,
            expiresHours: 168,
            reversible: true,
            status: 'awaiting_user',
            startedAt: '2026-01-15T10:00:00.212Z',
          },
          { id: 'stop/execute/1', name: 'execute', kind: 'execute', reversible: true, status: 'pending' },
          {
            id: 'stop/validate/1',
            name: 'validate',
            kind: 'validate',
            timeoutMinutes: 15,
            reversible: true,
            status: 'pending',
          },
        ],
        planHash: hashOf(plan),
        createdBy: 'u-1',
        createdAt: '2026-01-15T10:00:09.000Z',
        updatedAt: '2026-01-15T10:00:00.212Z',
        plan: {
          title: 'Stop EC2 instance web.',
          operation: 'Stop it: aws-ec2 web (i-1)',
          ruleId: 'RC-1001',
          actionType: 'stop',
          resource: { uid: 'i-1', name: 'web', type: 'aws-ec2', provider: 'aws', region: 'us-east-1' },
          operations: [{ kind: 'stop' }],
          estimate: { costUsd: 276.48, savingsUsd: 138.24 },
          fourEyes: false,
          windows: [],
          policies: [],
        },
        audit: [
          {
            stepName: 'precondition',
            eventType: 'created',
            actor: 'system',
            createdAt: '2026-01-15T10:00:00.000Z',
          },
          {
            stepName: 'precondition',
            eventType: 'completed',
            actor: 'system',
            createdAt: '2026-01-15T10:00:00.212Z',
          },
          { stepName: 'approval', eventType: 'created', actor: 'system', createdAt: '2026-01-15T10:00:00.212Z' },
        ],
      },
    })
  })

  it('say how they ended, and of which step and plan [WF-02]', async () => {
    const { data } = (await org.get(`/workflows/${failed}`)).body
    expect(data).to.include({
      subjectType: 'resource_group',
      subjectID: 'g-1',
      status: 'failed',
      currentStep: null,
      reason: 'The cloud does not show what was to be.',
      completedAt: at(5),
      updatedAt: at(5),
    })
    expect(data.steps.at(-1)).to.deep.equal({
      id: 'stop/validate/1',
      name: 'validate',
      kind: 'validate',
      timeoutMinutes: 15,
      reversible: true,
      status: 'failed',
      startedAt: at(1),
      completedAt: at(2),
      output: { code: 'not_as_planned' },
      errorMessage: 'Not seen.',
    })
    expect(data.plan).to.deep.include({
      operations: [
        { kind: 'stop' },
        { kind: 'resize', size: 'm5.large' },
        { kind: 'set', specs: { size_gb: 50, tier: 'cold' } },
      ],
      targetSpec: { instance_type: 'm5.large' },
      instruction: 'Ask first.',
      fourEyes: true,
      windows: [{ days: [1], from: '20:00', to: '05:00', timezone: 'UTC' }],
      policies: ['p-1'],
    })
  })

  it('have an audit in the order of time, with a reason only where one was given [REM-07] [REM-08] [REM-09]', async () => {
    const { data } = (await org.get(`/remediation-jobs/${failed}/audit`)).body
    expect(data).to.deep.equal([
      { stepName: 'precondition', eventType: 'created', actor: 'system', createdAt: at(1) },
      { stepName: 'precondition', eventType: 'completed', actor: 'system', createdAt: at(1) },
      { stepName: 'approval', eventType: 'approved', actor: 'u-2', createdAt: at(3) },
      { stepName: 'validate', eventType: 'failed', actor: 'system', reason: 'Not seen.', createdAt: at(5) },
    ])
    expect((await org.get(`/workflows/${failed}`)).body.data.audit).to.deep.equal(data)
    expect(auditEvents).to.deep.equal(['created', 'approved', 'rejected', 'completed', 'failed'])
  })

  it('are the same by either family of routes', async () => {
    for (const path of ['', `/${waiting}`, `/${failed}`, '?status=failed&limit=1']) {
      const [one, other] = await Promise.all(families.map(async (family) => (await org.get(family + path)).body))
      expect(one, path).to.deep.equal(other)
    }
  })

  it('are listed newest first, without plans and audits, narrowed by status and recommendation', async () => {
    const listed = async (query: string) => (await org.get(`/workflows${query}`)).body.data
    const { items, ...page } = await listed('')
    expect(page).to.deep.equal({ total: 2, page: 1, limit: 20, hasMore: false })
    const { plan: _plan, audit: _audit, ...one } = (await org.get(`/workflows/${waiting}`)).body.data
    expect(items[0]).to.deep.equal(one)
    for (const [query, found] of [
      ['', [waiting, failed]],
      ['?status=failed', [failed]],
      ['?status=awaiting_user,failed', [waiting, failed]],
      ['?status=pending&status=running', []],
      ['?recommendation_id=rec-1', [waiting]],
      ['?recommendation_id=rec-1&status=failed', []],
      ['?recommendation_id=rec-3', []],
    ] as const)
      expect(
        (await listed(query)).items.map(({ id }: { id: string }) => id),
        query,
      ).to.deep.equal(found)
  })

  it('come in pages of 20, and of 100 at most [LIM-01]', async () => {
    const own = await tenant()
    const ids = await plantedJobs(own, ...Array.from({ length: 23 }, (_, n) => ({ created_at: at(n) })))
    for (const family of families)
      for (const [query, places, limit, hasMore] of [
        ['', ids.toReversed().slice(0, 20), 20, true],
        ['?page=2', ids.toReversed().slice(20), 20, false],
        ['?page=3', [], 20, false],
        ['?limit=2&page=2', ids.toReversed().slice(2, 4), 2, true],
        ['?limit=500', ids.toReversed(), 100, false],
      ] as const) {
        const { items, ...page } = (await own.get(family + query)).body.data
        expect(
          items.map(({ id }: { id: string }) => id),
          family + query,
        ).to.deep.equal(places)
        expect(page, family + query).to.include({ limit, hasMore, total: 23 })
      }
  })

  it('are refused for words that are none', async () => {
    for (const family of families)
      for (const [query, name] of [
        ['status=done', 'status enum'],
        ['limit=0', 'limit minimum'],
        ['page=x', 'page type'],
        [`recommendation_id=${'x'.repeat(257)}`, 'recommendation_id maxLength'],
      ] as const)
        expect(told(await org.get(`${family}?${query}`)), query).to.deep.equal([400, 'validation_failed', name])
  })

  it('answer what their examples show', () => {
    for (const schema of [JobView, ListedJob, AuditEntry]) {
      const { examples = [] } = schema as { examples?: unknown[] }
      expect(examples.length).to.be.at.least(1)
      for (const example of examples) expect(() => decoder(schema)(example)).not.to.throw()
    }
    for (const { reply, path, method } of workflows) {
      const shown = reply as { examples?: unknown[]; items?: { examples?: unknown[] }; properties?: any }
      const item = shown.items ?? shown.properties?.items?.items
      expect(shown.examples ?? item?.examples, `${method} ${path}`).to.be.an('array')
    }
    expect(workflowStatuses.slice(-3)).to.deep.equal(['succeeded', 'failed', 'cancelled'])
  })
})
