/** What waits for somebody who approves it. */
import { expect } from 'chai'
import { tenant } from '#test/harness/product.ts'
import { plan, plantedJobs, steps } from '#test/harness/workflow.ts'

const at = (second: number) => `2026-01-15T10:00:${String(second).padStart(2, '0')}.000Z`
/** A stop whose approval began to wait then. */
const waiting = (second: number, change: object = {}) => ({
  steps: steps.map((step) => (step.kind === 'approval' ? { ...step, startedAt: at(second), ...change } : step)),
})

describe('steps that wait for an approval', () => {
  it('are shown with exactly these fields, and not those that wait no more [WF-01]', async () => {
    const org = await tenant()
    const approvals = ['u-1', 'u-2', 'u-1'].map((userId) => ({
      stepId: 'stop/approve/1',
      userId,
      at: at(2),
      planHash: 'h',
    }))
    const [id] = await plantedJobs(
      org,
      {
        ...waiting(1, { approvals: 3, expiresHours: 24 }),
        recommendation_id: 'rec-1',
        approvals: [...approvals, { stepId: 'stop/approve/2', userId: 'u-3', at: at(2), planHash: 'h' }],
        plan: { ...plan, instruction: 'Ask first.' },
      },
      { status: 'running', steps: steps.map((step) => ({ ...step, status: 'succeeded' as const })) },
      { status: 'cancelled', ...waiting(1, { status: 'rejected' }) },
    )
    await plantedJobs(await tenant(), {})
    expect((await org.get('/workflows/pending-approval')).body).to.deep.equal({
      data: [
        {
          jobID: id,
          stepID: 'stop/approve/1',
          stepName: 'approval',
          recommendationID: 'rec-1',
          resourceUid: 'i-1',
          title: 'Stop EC2 instance web.',
          operation: 'Stop it: aws-ec2 web (i-1)',
          instruction: 'Ask first.',
          currentCostUsd: 276.48,
          savingsUsd: 138.24,
          requestedAt: at(1),
          expiresAt: '2026-01-16T10:00:01.000Z',
          approvalsGiven: 2,
          approvalsNeeded: 3,
        },
      ],
    })
  })

  it('come in pages, the longest waiting first, with their number and their neighbours in headers [WF-01]', async () => {
    const org = await tenant()
    const ids = await plantedJobs(org, waiting(3), waiting(1), waiting(2))
    const order = [ids[1], ids[2], ids[0]]
    const page = async (query: string) => {
      const { body, headers } = await org.get(`/workflows/pending-approval${query}`)
      return [body.data.map((one: any) => one.jobID), headers.get('x-total-count'), headers.get('link')]
    }
    expect(await page('')).to.deep.equal([order, '3', null])
    const link = (n: number, rel: string) => `</workflows/pending-approval?limit=1&page=${n}>; rel="${rel}"`
    expect(await page('?limit=1')).to.deep.equal([order.slice(0, 1), '3', link(2, 'next')])
    expect(await page('?limit=1&page=2')).to.deep.equal([
      order.slice(1, 2),
      '3',
      `${link(3, 'next')}, ${link(1, 'prev')}`,
    ])
    expect((await page('?page=2'))[0]).to.deep.equal([])
  })
})
