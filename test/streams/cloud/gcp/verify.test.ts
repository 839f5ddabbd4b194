import { expect } from 'chai'
import { gcpPermissions } from '#streams/cloud/gcp/permission/permissions.ts'
import { roleDocument } from '#streams/cloud/gcp/permission/policy.ts'
import { openGcp } from '#streams/cloud/gcp/session/session.ts'
import { verifyGcp } from '#streams/cloud/gcp/permission/verify.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { account, fails, farGoogle, refusing, type Answer, type FarGoogle, type FarOptions } from './far-google.ts'

const billed: CloudAccount = {
  ...account,
  billingExport: { kind: 'bigquery', location: 'bigquery://shop-bills/export' },
}
const isOfBills = (name: string) => /^bigquery\.(jobs|tables)/.test(name)
const looks = roleDocument().includedPermissions
const all = roleDocument({ write: true }).includedPermissions

describe('the verdict on a service account of Google Cloud', () => {
  let far: FarGoogle
  const verified = async (
    has: readonly string[] | ((project: string, asked: string[]) => Answer),
    of: CloudAccount = account,
    more: FarOptions = {},
  ) => {
    far = await farGoogle(({ path, body }) => {
      const { permissions } = body as { permissions: string[] }
      const project = /projects\/([^:]+):testIamPermissions$/.exec(path)?.[1] ?? ''
      return typeof has === 'function'
        ? has(project, permissions)
        : { body: { permissions: permissions.filter((one) => has.includes(one)) } }
    }, more)
    return verifyGcp({ open: (one) => openGcp(one, far.options, undefined, true) })(of)
  }
  afterEach(() => far.close())

  it('is to read and write where it has all, each permission asked once, a hundred at most a call', async () => {
    const { permissions, ...verdict } = await verified(all)
    expect(verdict).to.deep.equal({ verdict: 'read_write', missingPermissions: [] })
    const wanted = new Set(gcpPermissions.filter(({ use }) => use !== 'bills').flatMap(({ names }) => names))
    expect(permissions?.map(({ name }) => name).toSorted()).to.deep.equal([...wanted].toSorted())
    expect(permissions?.every(({ state }) => state === 'granted')).to.equal(true)
    expect(far.questions.every(({ body }) => body.permissions.length <= 100)).to.equal(true)
  })

  it('is to read only where it may write nothing, as it was meant to be', async () => {
    const { permissions = [], ...verdict } = await verified(looks)
    expect(verdict).to.deep.equal({ verdict: 'read_only', missingPermissions: [] })
    const state = (of: string) => permissions.find(({ name }) => name === of)?.state
    expect([state('compute.instances.list'), state('compute.instances.stop')]).to.deep.equal(['granted', 'missing'])
  })

  it('names what is missing', async () => {
    const lost = ['compute.disks.list', 'compute.instances.stop']
    const found = await verified(all.filter((name) => !lost.includes(name)))
    // Not read_write: machines could be started and not stopped.
    expect([found.verdict, found.missingPermissions]).to.deep.equal(['read_only', lost])
    expect(found.message).to.equal(
      'The service account is missing 2 permissions. Compare its role with the output of tidemark account policy gcp --write.',
    )
  })

  it('is none where it may look at nothing', async () => {
    const { verdict, missingPermissions } = await verified([])
    expect([verdict, missingPermissions.includes('compute.instances.list')]).to.deep.equal(['none', true])
  })

  it('is none for a project that Google does not show, and for a key it does not take', async () => {
    const hidden = await verified(() => refusing(403, 'forbidden', 'The caller does not have permission'))
    expect([hidden.verdict, hidden.message?.includes('cannot see the project shop-prod')]).to.deep.equal(['none', true])
    await far.close()
    const refused = await verified(all, account, { token: () => ({ status: 400, body: { error: 'invalid_grant' } }) })
    expect(refused.verdict).to.equal('none')
    expect(refused.message).to.include('Check the service account and its key')
  })

  it('asks for those of bills in the project that the bills are in', async () => {
    const asked = new Map<string, string[]>()
    const found = await verified((project, permissions) => {
      asked.set(project, [...(asked.get(project) ?? []), ...permissions])
      return { body: { permissions: project === 'shop-bills' ? ['bigquery.jobs.create'] : permissions } }
    }, billed)
    expect(asked.get('shop-bills')?.toSorted()).to.deep.equal([
      'bigquery.jobs.create',
      'bigquery.tables.getData',
      'bigquery.tables.list',
    ])
    // Those that tables in the project itself need.
    expect(asked.get('shop-prod')?.filter(isOfBills).toSorted()).to.deep.equal([
      'bigquery.jobs.listAll',
      'bigquery.tables.get',
      'bigquery.tables.list',
    ])
    expect(found.missingPermissions).to.deep.equal(['bigquery.tables.getData', 'bigquery.tables.list'])
  })

  it('asks the bucket that the bills are in, and leaves open what it does not say', async () => {
    const inBucket = { ...account, billingExport: { kind: 'storage', location: 'gs://shop-prod/focus/' } }
    const verdict = async (answer: Answer) => {
      far = await farGoogle(({ path, body, query }) => {
        if (path !== '/storage/v1/b/shop-prod/iam/testPermissions') return { body }
        expect(query.getAll('permissions')).to.deep.equal(['storage.objects.list', 'storage.objects.get'])
        return answer
      })
      const verify = verifyGcp({ open: (one) => openGcp(one, far.options, undefined, true) })
      const { missingPermissions, permissions = [] } = await verify(inBucket)
      const own = permissions.filter(({ name }) => name.startsWith('storage.objects.'))
      return [missingPermissions, own.map(({ state }) => state)]
    }
    const half = { body: { permissions: ['storage.objects.list'] } }
    expect(await verdict(half)).to.deep.equal([['storage.objects.get'], ['granted', 'missing']])
    await far.close()
    expect(await verdict(refusing(403, 'forbidden'))).to.deep.equal([[], ['unknown', 'unknown']])
  })

  it('leaves open what Google knows no such permission of in a project, and tells all others', async () => {
    const strange = 'workstations.workstations.start'
    const found = await verified((_, permissions) =>
      permissions.includes(strange)
        ? refusing(400, 'badRequest', `Permission ${strange} is not valid for this resource.`)
        : { body: { permissions } },
    )
    expect(found.permissions?.filter(({ state }) => state !== 'granted')).to.deep.equal([
      { name: strange, access: 'write', state: 'unknown' },
    ])
    expect(found.verdict).to.equal('read_write')
  })

  it('is no verdict while Google does not answer', async () => {
    expect(await fails(verified(() => refusing(503, 'backendError')))).to.equal('transient cloud_unavailable')
  })
})
