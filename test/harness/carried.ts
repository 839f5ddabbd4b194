/** What rules find of resources of an account, and the workflows that carry it out. */
import { expect } from 'chai'
import type { Connected } from '#test/harness/connected.ts'

/** The recommendation of a rule about a resource, once there is one. */
export async function findingOf(org: Connected, uid: string, rule: string): Promise<string> {
  let found: any
  await org.reached(`${rule} of ${uid}`, async () => {
    found = (await org.data(`/recommendations?resource_uid=${uid}&rule_id=${rule}`)).items[0]
    return found !== undefined
  })
  return found.id
}

/** Begins the workflow of a recommendation, approves it and sees it through. Answers the workflow. */
export async function carriedOut(org: Connected, recommendationId: string): Promise<any> {
  const { jobID } = await org.done('POST', `/recommendations/${recommendationId}/workflow`)
  let job: any
  const reach = (...statuses: string[]) =>
    org.reached(`${statuses.join(' or ')} of the workflow`, async () => {
      job = await org.data(`/workflows/${jobID}`)
      return statuses.includes(job.status)
    })
  await reach('awaiting_user', 'failed')
  const step = job.steps.find(({ status }: any) => status === 'awaiting_user')
  expect(step, JSON.stringify(job)).to.not.equal(undefined)
  await org.done('POST', `/workflows/${jobID}/steps-by-id/${encodeURIComponent(step.id)}/approve`, {})
  await reach('succeeded', 'failed', 'cancelled')
  expect(job.status, JSON.stringify(job)).to.equal('succeeded')
  // A look at the cloud may have seen meanwhile that it holds no more.
  const { status } = await org.data(`/recommendations/${recommendationId}/detail`)
  expect(status).to.be.oneOf(['applied', 'optimised'])
  return job
}
