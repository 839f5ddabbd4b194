import { expect } from 'chai'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import { fails, farGoogle, refusing, type FarGoogle } from '#test/streams/cloud/gcp/far-google.ts'
import { cases } from './cases.ts'
import { FarServices } from './far-services.ts'
import { Job, ownName } from './job.ts'

const configOf = (title: string) => cases.find((one) => one.title === title)!.config

describe('what Google Cloud does not have', () => {
  let far: FarGoogle
  let services: FarServices
  beforeEach(async () => {
    services = new FarServices()
    far = await farGoogle(services.answer)
  })
  afterEach(() => far.close())

  const listener = { port: 80, protocol: 'TCP', targetPort: 80 }
  const refused: readonly (readonly [string, ProvisioningKind, string, Record<string, unknown>, string])[] = [
    ['a disk under 10 GB', 'datastore', 'a server of Postgres', { allocatedStorageGB: 9 }, 'config_invalid'],
    ['a standby without backups', 'datastore', 'a server of Postgres', { backupRetentionDays: 0 }, 'config_invalid'],
    ['MySQL 8 without its second number', 'datastore', 'a server of MySQL', { version: '8' }, 'config_invalid'],
    ['a class of Redis', 'datastore', 'a server of Redis', { instanceClass: 'cache.t3.micro' }, 'config_invalid'],
    ['memory outside the class', 'datastore', 'a server of Redis', { allocatedStorageGB: 11 }, 'config_invalid'],
    ['a cluster in two subnets', 'kubernetes', 'a cluster', { subnetIDs: ['a', 'b'] }, 'config_invalid'],
    ['six ports', 'vm_pool', 'a pool of machines', { listenerPorts: [1, 2, 3, 4, 5, 6] }, 'unsupported_provisioning'],
    [
      'another target port',
      'load_balancer',
      'an internal load balancer',
      { listeners: [{ ...listener, targetPort: 8080 }] },
      'unsupported_provisioning',
    ],
    [
      'a certificate',
      'load_balancer',
      'an internal load balancer',
      { listeners: [{ ...listener, protocol: 'HTTPS' }] },
      'unsupported_provisioning',
    ],
    [
      'TCP and UDP',
      'load_balancer',
      'an internal load balancer',
      { listeners: [listener, { ...listener, protocol: 'UDP' }] },
      'unsupported_provisioning',
    ],
    [
      'a single machine as target',
      'load_balancer',
      'an internal load balancer',
      { targetUID: 'projects/shop-prod/zones/us-central1-a/instances/web' },
      'unsupported_provisioning',
    ],
  ]
  for (const [what, kind, title, change, code] of refused)
    it(`is refused before anything is created: ${what}`, async () => {
      const job = new Job(far.options, kind, { ...configOf(title), ...change })
      expect(await fails(job.make())).to.match(new RegExp(`^(user_action|system) ${code}$`))
      expect(services.bodies.size).to.equal(0)
    })

  it('names the group that a load balancer is for, if it is gone', async () => {
    const job = new Job(far.options, 'load_balancer', configOf('an internal load balancer'))
    expect(await fails(job.make())).to.equal('user_action resource_not_found')
  })

  it('says why the machines of a pool cannot be created, and waits where there is no room for now', async () => {
    const job = new Job(far.options, 'vm_pool', { ...configOf('a pool of machines'), createLoadBalancer: false })
    for (const step of ['validate', 'template', 'group']) await job.step(step)
    const unstable = { body: { name: ownName, description: '', status: { isStable: false } } }
    const listed = (code: string) => ({ body: { items: [{ error: { code, message: 'CPUS limit 24.' } }] } })
    const group = new RegExp(`/instanceGroupManagers/${ownName}$`)
    services.refusals.push(
      { method: 'GET', of: group, answer: unstable },
      { method: 'GET', of: /listErrors$/, answer: listed('ZONE_RESOURCE_POOL_EXHAUSTED') },
      { method: 'GET', of: group, answer: unstable },
      { method: 'GET', of: /listErrors$/, answer: { body: {} } },
    )
    await job.step('verify')
    services.refusals.push(
      { method: 'GET', of: group, answer: unstable },
      { method: 'GET', of: /listErrors$/, answer: listed('QUOTA_EXCEEDED') },
    )
    expect(await fails(job.step('verify'))).to.equal('user_action quota_exceeded')
  })

  it('is told with the permission that is missing, and what to do', async () => {
    services.refusals.push({
      method: 'POST',
      of: /clusters$/,
      answer: refusing(403, 'forbidden', "Required 'container.clusters.create' permission for 'projects/shop-prod'"),
    })
    const job = new Job(far.options, 'kubernetes', configOf('a cluster'))
    expect(await fails(job.make())).to.equal('user_action permission_missing')
  })

  it('is a node pool that was deleted: it is created again in its step', async () => {
    const job = new Job(far.options, 'kubernetes', configOf('a cluster'))
    for (const step of ['validate', 'control_plane']) await job.step(step)
    const batch = [...services.kept.keys()].find((path) => path.endsWith('/nodePools/batch'))!
    services.kept.delete(batch)
    await job.step('node_groups')
    expect(services.done).to.deep.equal([`create clusters/${ownName}`, 'create nodePools/batch'])
  })
})
