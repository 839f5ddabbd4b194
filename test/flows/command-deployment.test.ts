import { expect } from 'chai'
import { commanded, rowsOf, tidemark } from '#test/harness/command.ts'
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
    expect(await printed('list', ...of)).to.equal('No deployments.\n')
    const url = freshUrl()
    const id = await plantedDeployment(org, { url })
    const cells = [[id, 'Shop', url, 'main', 'auto', '-']]
    expect(rowsOf(await printed('list', ...of))).to.deep.equal(cells)
    expect(rowsOf(await printed('show', ...of, '--id', id))).to.deep.equal(cells)
    expect(await printed('revisions', ...of, '--id', id)).to.equal('No revisions yet.\n')
    const { data } = (await hook(pushOf(url))).body
    const [{ id: revision, commitSHA }] = await tidemark('deployment', 'revisions', ...of, '--id', id)
    expect([revision, commitSHA]).to.deep.equal([data.revisionIDs[0], shaOf('1')])
    const [row, ...more] = rowsOf(await printed('revisions', ...of, '--id', id))
    expect([row?.[1], ...row!.slice(3), ...more]).to.deep.equal([
      data.revisionIDs[0],
      '1'.repeat(12),
      'refs/heads/main',
      '-',
    ])
    expect(row?.[2]).to.be.oneOf(['queued', 'building'])
  })

  it('refuse what is not said, and what there is not', async () => {
    expect(await exitCode('show', ...of)).to.equal(2)
    expect(await exitCode('list')).to.equal(2)
    expect(await exitCode('show', ...of, '--id', 'none')).to.equal(1)
  })
})
