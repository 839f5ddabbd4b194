import { expect } from 'chai'
import { commanded, tidemark } from '#test/harness/command.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { freshUrl, hook, plantedDeployment, pushOf, shaOf } from '#test/harness/source.ts'

describe('commands of deployments, beside a running product', () => {
  let org: Tenant
  let of: string[]
  before(async () => {
    org = await tenant()
    of = ['--org', org.orgId]
  })
  const printed = async (...args: string[]) => (await commanded('deployment', ...args)).stdout
  const exitCode = (...args: string[]): Promise<number> =>
    commanded('deployment', ...args).then(
      () => 0,
      (error: { code: number }) => error.code,
    )

  it('list them, show one and what was pushed to it [HOOK-07]', async () => {
    expect(await printed('list', ...of)).to.equal('There is no deployment.\n')
    const url = freshUrl()
    const id = await plantedDeployment(org, { url })
    const line = `${id}  Shop  ${url} main  auto  nothing promoted\n`
    expect([await printed('list', ...of), await printed('show', ...of, '--id', id)]).to.deep.equal([line, line])
    expect(await printed('revisions', ...of, '--id', id)).to.equal('Nothing was pushed yet.\n')
    const { data } = (await hook(pushOf(url))).body
    const [{ id: revision, commitSHA }] = await tidemark('deployment', 'revisions', ...of, '--id', id)
    expect([revision, commitSHA]).to.deep.equal([data.revisionIDs[0], shaOf('1')])
    expect(await printed('revisions', ...of, '--id', id)).to.match(
      /^\S+Z {2}[0-9a-f-]{36} {2}(?:queued|building) {2}1{12} {2}refs\/heads\/main\n$/,
    )
  }).timeout(120_000)

  it('refuse what is not said, and what there is not', async () => {
    expect(await exitCode('show', ...of)).to.equal(2)
    expect(await exitCode('list')).to.equal(2)
    expect(await exitCode('show', ...of, '--id', 'none')).to.equal(1)
  }).timeout(120_000)
})
