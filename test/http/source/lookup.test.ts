import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { deploymentsFollowing, pushedSql } from '#actors/source/queries.ts'
import { asService } from '#http/store/tenant.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

describe('the look-up of deployments for a push', () => {
  let org: Tenant
  const mark = randomUUID()
  before(async () => {
    org = await tenant()
    // Ten thousand of a hundred organizations: every repository with two branches, every fifth deployment by hand alone.
    await org.connections.store.rows(
      `insert into deployment (org_id, id, name, space_id, repository_url, repository_key, branch, auto_deploy, current_revision_id, created_at, updated_at)
       select $1 || '-' || n % 100, gen_random_uuid()::text, 'Shop', 's-1', 'https://example.test/' || $1 || '/' || n / 4,
         'example.test/' || $1 || '/' || n / 4, case n % 2 when 0 then 'main' else 'dev' end, n % 5 <> 0, null, now(), now()
       from generate_series(0, 9999) as n`,
      [mark],
    )
    await org.connections.store.rows('analyze deployment', [])
  })
  after(async () => {
    await org.connections.store.rows(`delete from deployment where org_id like $1 || '-%'`, [mark])
  })

  it('finds those of the branch alone that follow it, of all organizations [HOOK-12] [HOOK-13]', async () => {
    const em = org.connections.orm.em.fork()
    const found = await asService(() => deploymentsFollowing(em, `example.test/${mark}/7`, 'main'))
    // 28 to 31 are of repository 7; 28 and 30 of main, and 30 is one of the fifth.
    expect(found.map(({ orgId }) => orgId)).to.deep.equal([`${mark}-28`])
  })

  it('goes by its index among ten thousand [HOOK-13]', async () => {
    const plan = await org.connections.store.rows<{ 'QUERY PLAN': string }>(
      `explain ${pushedSql.replace('?', '$1').replace('?', '$2')}`,
      [`example.test/${mark}/7`, 'main'],
    )
    const text = plan.map((line) => line['QUERY PLAN']).join('\n')
    expect(text).to.include('deployment_pushed')
    expect(text).to.not.include('Seq Scan')
  })
})
