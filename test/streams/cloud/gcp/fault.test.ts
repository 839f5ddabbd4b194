import { expect } from 'chai'
import { t } from '#engine/value/schema.ts'
import { Fault } from '#engine/value/fault.ts'
import { openGcp } from '#streams/cloud/gcp/session/session.ts'
import {
  account,
  denied,
  fails,
  farGoogle,
  refusing,
  type Answer,
  type FarGoogle,
  type FarOptions,
} from './far-google.ts'

const call = { service: 'compute', path: '/projects/shop-prod/zones', permission: 'compute.zones.list' } as const
const Zones = t.Object({ items: t.Optional(t.Array(t.String())) })

describe('an error of Google Cloud', () => {
  let far: FarGoogle | undefined
  const ask = async (answer: () => Answer, more: FarOptions = {}) => {
    far = await farGoogle(answer, more)
    return openGcp(account, far.options).ask(call, Zones)
  }
  afterEach(async () => {
    await far?.close()
    far = undefined
  })

  /** What Google says, what it is to us, and how often it is asked. */
  const meanings: readonly (readonly [string, Answer, string, number])[] = [
    ['too many questions', refusing(403, 'rateLimitExceeded'), 'transient throttled', 4],
    ['too many questions, by status', refusing(429, 'RESOURCE_EXHAUSTED'), 'transient throttled', 4],
    ['a backend that fails', refusing(500, 'backendError'), 'transient cloud_unavailable', 4],
    ['a page of a proxy', { status: 502, body: '<html>bad gateway</html>' }, 'transient cloud_unavailable', 4],
    ['another operation under way', refusing(409, 'operationInProgress'), 'transient busy', 4],
    [
      'a cluster that is changed',
      refusing(400, 'FAILED_PRECONDITION', 'Cluster is running incompatible operation op-1'),
      'transient busy',
      4,
    ],
    ['a master that is changed', refusing(400, 'FAILED_PRECONDITION', 'Master is being updated.'), 'transient busy', 4],
    ['a group that is not resized by hand', refusing(412, 'conditionNotMet'), 'user_action rejected', 1],
    ['a permission that is missing', denied('compute.zones.list'), 'user_action permission_missing', 1],
    ['a service that is switched off', refusing(403, 'accessNotConfigured'), 'user_action service_disabled', 1],
    ['a quota', refusing(403, 'quotaExceeded'), 'user_action quota_exceeded', 1],
    ['what is not there', refusing(404, 'notFound'), 'user_action not_found', 1],
    ['what is there already', refusing(409, 'alreadyExists'), 'user_action already_exists', 1],
    ['a bucket that is not empty', refusing(409, 'conflict'), 'user_action rejected', 1],
    ['a wrong question', refusing(400, 'invalid'), 'user_action rejected', 1],
    ['an answer that is no JSON', { body: '{"items":' }, 'system unknown_answer', 4],
    ['an answer of another shape', { body: { items: [7] } }, 'system unknown_answer', 4],
  ]
  for (const [what, answer, meaning, times] of meanings)
    it(`that tells of ${what} is ${meaning}`, async () => {
      expect(await fails(ask(() => answer))).to.equal(meaning)
      expect(far?.asked).to.have.length(times)
    })

  it('names the permission that Google names, else that of the call', async () => {
    const detailOf = async (answer: Answer) => {
      const error = await ask(() => answer).catch((thrown: unknown) => thrown)
      await far?.close()
      return Fault.from(error).detail
    }
    expect((await detailOf(denied('compute.regions.list')))['permission']).to.equal('compute.regions.list')
    expect(
      (await detailOf(refusing(403, 'PERMISSION_DENIED', "Permission 'compute.zones.get' denied on resource")))[
        'permission'
      ],
    ).to.equal('compute.zones.get')
    const plain = await detailOf(refusing(403, 'forbidden', 'Forbidden'))
    expect([plain['permission'], plain['consoleUrl']]).to.deep.equal([
      'compute.zones.list',
      'https://console.cloud.google.com/iam-admin/iam?project=shop-prod',
    ])
    far = undefined
  })

  it('is what comes of a connection that breaks, and passes', async () => {
    let times = 0
    expect(await ask(() => (++times < 3 ? { isLost: true } : { body: { items: ['a'] } }))).to.deep.equal({
      items: ['a'],
    })
    expect(times).to.equal(3)
  })

  it('is an answer that is larger than may be, which is not read to its end', async () => {
    const body = { items: ['x'.repeat(2000)] }
    expect(await fails(ask(() => ({ body }), { bytesMax: 1000 }))).to.equal('system answer_too_large')
  })
})
