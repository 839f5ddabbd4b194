/** Questions of what would have been, as people ask them. */
import { expect } from 'chai'
import { colleague, type Founder } from '#test/harness/people.ts'
import type { Tenant } from '#test/harness/product.ts'

/** The answer, without how long it took. */
export async function answerOf(org: Pick<Tenant, 'send'>, body: object): Promise<any> {
  const { status, body: said } = await org.send('POST', '/what-if', body)
  expect(status, JSON.stringify(said)).to.equal(200)
  const { tookMs, ...rest } = said.data
  expect(tookMs).to.be.at.least(0)
  return rest
}

/** The status of a refusal, and each error by its place. */
export async function errorsOf(org: Pick<Tenant, 'send'>, body: object): Promise<unknown[]> {
  const { status, body: problem } = await org.send('POST', '/what-if', body)
  return [status, ...(problem.errors ?? []).map((one: any) => `${one.name}: ${one.code}`)]
}

/** A token of somebody whose role sees one account alone. */
export async function seeing(org: Tenant, account: string): Promise<string> {
  const reportScope = { all: false, cloudAccountIDs: [account] }
  const role = await org.send('POST', '/roles', { name: account, permissions: ['service.view'], reportScope })
  const { accessToken } = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, role.body.data.id)
  return accessToken
}

/** The day so many days before today. */
export const daysAgo = (count: number): string => new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10)
