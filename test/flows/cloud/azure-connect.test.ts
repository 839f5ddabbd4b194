/** A subscription of Azure that is connected, and what stays of it when a part of it cannot be seen, through the whole product. */
import { expect } from 'chai'
import { connect } from '#test/harness/connected.ts'
import { resetClock } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import {
  armError,
  subscription,
  tenant as tenantID,
  type Answer,
  type Question,
} from '#test/streams/cloud/azure/answer-server.ts'
import { answering, lists, root } from '#test/streams/cloud/azure/world.ts'
import { deepDescribe } from '#test/harness/tier.ts'
import { account, beside, type Azure } from './azure.ts'

const machines = `${root}/providers/Microsoft.Compute/virtualMachines`
const right = 'Microsoft.Compute/virtualMachines/read'
const isPage = ({ path, query }: Question, at: number) => path === machines && query['$skiptoken'] === String(at)

/** The subscription as it stands, with all rights but these. */
function standing(missing: readonly string[]): (question: Question) => Answer {
  const listed = answering(lists())
  return (question) => {
    const { path } = question
    if (path === root) return { body: { id: root, tenantId: tenantID, state: 'Enabled' } }
    if (path.endsWith('/Microsoft.Authorization/permissions'))
      return { body: { value: [{ actions: ['*'], notActions: missing }] } }
    return listed(question)
  }
}

// In `npm test` test/flows/cloud/azure-switch.test.ts connects one, and test/streams/cloud looks through it.
deepDescribe('a subscription of Azure that is connected', () => {
  let org: Azure
  let missing: string[] = []
  before(async () => {
    const { weather, end } = await beside((question) => standing(missing)(question))
    org = Object.assign(await connect(await tenant(), account, end), { weather })
    await until('all machines', async () => (await there()).filter((uid) => uid.includes('/vm-')).length === 14)
  })
  afterEach(() => {
    org.weather.calm()
    missing = []
  })
  after(async () => {
    await org.end()
    await resetClock()
  })
  const there = async () => (await org.resources()).map(({ uid }) => uid as string).toSorted()
  /** The subscription, 14 machines and a disk, two servers with a database each, two apps, a cluster with its pool, two sets. */
  const count = 1 + 14 + 1 + 4 + 2 + 2 + 2

  it('says that it is asked as it is and may be changed, and shows what there is, ids in lower case', async () => {
    expect(await org.account()).to.include({
      driver: 'real',
      status: 'connected',
      permissionVerdict: 'read_write',
      externalID: subscription,
    })
    const uids = await there()
    expect(uids).to.have.length(count)
    expect(uids.filter((uid) => uid !== uid.toLowerCase())).to.deep.equal([])
    const shown = JSON.stringify([await org.account(), await org.data('/cloud-accounts')])
    expect(shown).to.not.contain('secret~1')
  })

  it('loses nothing when the third of seven pages fails, and says what could not be seen', async () => {
    const before = await there()
    org.weather.instead = (question) => (isPage(question, 4) ? armError(503, 'ServerBusy', 'Busy.') : undefined)
    expect((await org.scan()).status).to.equal('completed')
    expect(await there()).to.deep.equal(before)
    const { status, message } = await org.account()
    expect(status).to.equal('connected')
    expect(message).to.match(/(^| )Virtual machine could not be discovered: /)
  })

  it('is degraded by a right that is lost midway, names it, loses nothing, and is connected once it has it again', async () => {
    const before = await there()
    missing = [right]
    org.weather.instead = (question) => (isPage(question, 4) ? armError(403, 'AuthorizationFailed') : undefined)
    expect((await org.scan()).status).to.equal('completed')
    expect(await there()).to.deep.equal(before)
    const { status, missingPermissions, message } = await org.account()
    expect([status, missingPermissions]).to.deep.equal(['degraded', [right]])
    expect(message).to.contain(`the application is missing the permission ${right}`)
    const { permissions } = await org.done('POST', `/cloud-accounts/${org.accountId}/check`)
    expect(permissions[0]).to.include({ name: right, state: 'missing' })
    org.weather.calm()
    missing = []
    await org.scan()
    await org.done('POST', `/cloud-accounts/${org.accountId}/verify`)
    await until('its right', async () => (await org.account()).status === 'connected')
    expect(await there()).to.deep.equal(before)
  })

  it('loses nothing while the subscription is away, and has what is new once it is back', async () => {
    const before = await there()
    org.weather.isAway = ({ path }) => path.startsWith('/subscriptions/')
    await org.scan()
    expect(await there()).to.deep.equal(before)
    org.weather.calm()
    const fresh = { id: `${root}/resourceGroups/Shop/providers/Microsoft.Compute/disks/Fresh`, name: 'Fresh' }
    org.weather.instead = ({ path, method }) =>
      method === 'GET' && path === `${root}/providers/Microsoft.Compute/disks`
        ? { body: { value: [{ ...fresh, location: 'westeurope' }] } }
        : undefined
    await org.scan()
    // The disk that was there is gone, and nothing else.
    const disk = before.find((uid) => uid.endsWith('/disks/disk-1'))!
    const now = [...before.filter((uid) => uid !== disk), fresh.id.toLowerCase()].toSorted()
    await until('what is new', async () => JSON.stringify(await there()) === JSON.stringify(now))
  })
})

deepDescribe('a subscription of Azure that is asked with little patience', () => {
  it('is not asked more often again than its budget allows, however much fails', async () => {
    const { weather, end } = await beside(standing([]), { budgetMin: 10, budgetShare: 0.1 })
    const org = await connect(await tenant(), account, end)
    const from = weather.asked.length
    let count = 0
    weather.isAway = () => count++ % 5 < 3
    await org.scan()
    expect(weather.asked.slice(from).filter(({ fate }) => fate === 'away').length).to.be.above(12)
    // A tenth of what was asked in this minute, which is all of it, and ten at least.
    expect(weather.repeats(from)).to.be.within(10, Math.max(10, Math.ceil(weather.asked.length * 0.1)))
    await org.end()
  })
})

describe('credentials of Azure that lead elsewhere', () => {
  let org: Tenant
  let end: () => Promise<void>
  let asked: () => number
  before(async () => {
    org = await tenant()
    const { far, end: ended } = await beside(() => ({}))
    end = ended
    asked = () => far.asked.length + far.signIns.length
  })
  after(() => end())

  it('are refused by their names, before anything is asked', async () => {
    const given = account.credentials as Record<string, unknown>
    const kubeconfig = JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 'https://203.0.113.7' } }],
      users: [{ name: 'u', user: { exec: { command: '/bin/sh' } } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    })
    for (const [fields, name] of [
      [{ credentials: { ...given, tenantID: 'contoso.onmicrosoft.com' } }, '/credentials/tenantID'],
      [{ credentials: { ...given, tenantID: `${tenantID}/../x` } }, '/credentials/tenantID'],
      [{ credentials: { ...given, clientID: 'https://169.254.169.254' } }, '/credentials/clientID'],
      [{ credentials: { tenantID: given['tenantID'], clientID: given['clientID'] } }, '/credentials/clientSecret'],
      [
        { credentials: { ...given, kubeconfigs: { '/subscriptions/s': kubeconfig } } },
        '/credentials/kubeconfigs/~1subscriptions~1s',
      ],
      [
        { billingExport: { kind: 'focus', location: 'https://bills.blob.core.windows.net.evil.example/x' } },
        '/billingExport/location',
      ],
      [
        {
          credentials: { ...given, cloud: 'AzureUSGovernment' },
          billingExport: { kind: 'focus', location: 'https://bills.blob.core.windows.net/exports' },
        },
        '/billingExport/location',
      ],
    ] as const) {
      const answer = await org.send('POST', '/cloud-accounts', { ...account, ...fields })
      const names = answer.body.errors?.map((one: any) => one.name as string)
      expect([answer.status, names], JSON.stringify(fields).slice(0, 120)).to.deep.equal([400, [name]])
    }
    expect(asked()).to.equal(0)
    expect((await org.get('/cloud-accounts')).body.data.items).to.deep.equal([])
  })
})
