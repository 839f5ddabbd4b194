import { expect } from 'chai'
import { Session } from '#http/identity/session/session-entity.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { loginWith, shownBy, withDevice } from '#test/harness/device.ts'
import {
  active,
  ask,
  claimsOf,
  colleague,
  founder,
  login,
  password,
  resetClock,
  type Founder,
  type Person,
} from '#test/harness/people.ts'
import { testProduct } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const send = ({ accessToken: token }: Pick<Person, 'accessToken'>, method: string, path: string, body?: unknown) =>
  ask(method, path, { token, ...(body !== undefined && { body }) })
const refusal = ({ status, body }: { status: number; body: any }) => `${status} ${body?.code}`
const pathOf = ({ orgId }: Pick<Founder, 'orgId'>) => `/organisations/${orgId}/settings`
const demand = (who: Founder, requireSecondFactor: boolean) => send(who, 'PATCH', pathOf(who), { requireSecondFactor })
const counts = async (who: Pick<Person, 'accessToken'>) => (await send(who, 'GET', '/resources/count')).status
/** An organization of their own, beside the one they are in. */
const founderBeside = async (who: Person) => ({
  orgId: (await send(who, 'POST', '/organisations', { name: 'Beside' })).body.data.id as string,
})
const patOf = async (who: Person) =>
  (await send(who, 'POST', '/settings/personal-access-tokens', { name: 'ci' })).body.data.token as string

describe('settings of an organization', () => {
  afterEach(resetClock)

  it('are as by default until they are changed, one by one, and a change is written down', async () => {
    const ana = await founder()
    const untouched = {
      requireSecondFactor: false,
      anomalyNotifyMinUSD: 0,
      anomalyNotifyRecurring: false,
      consolidated: 'payer',
      hasIdentityProvider: false,
      hasOpenIDProvider: false,
      updatedAt: null,
    }
    expect((await send(ana, 'GET', pathOf(ana))).body.data).to.deep.equal(untouched)
    await withDevice(ana)
    const changed = await demand(ana, true)
    expect([changed.status, changed.body.data]).to.deep.equal([
      200,
      { ...untouched, requireSecondFactor: true, updatedAt: changed.body.data.updatedAt },
    ])
    const same = (await send(ana, 'PATCH', pathOf(ana), {})).body.data
    expect(same.requireSecondFactor, 'what is not named stays').to.equal(true)
    expect((await demand(ana, false)).body.data.requireSecondFactor).to.equal(false)
    const { items } = (await send(ana, 'GET', '/security-events?type=settings_changed')).body.data
    expect(items.map(({ userID, detail }: any) => [userID, detail])).to.have.deep.members([
      [ana.userId, { requireSecondFactor: 'true' }],
      [ana.userId, {}],
      [ana.userId, { requireSecondFactor: 'false' }],
    ])
  })

  deepIt('hold from what amount on people are told of anomalies, beside the others', async () => {
    const ana = await founder()
    const patched = async (anomalyNotifyMinUSD: unknown) => {
      const { status, body } = await send(ana, 'PATCH', pathOf(ana), { anomalyNotifyMinUSD })
      return [status, body.data?.anomalyNotifyMinUSD ?? body.errors.map((one: any) => one.name)]
    }
    expect([await patched(12.5), await patched(1e9), await patched(0), await patched(50)]).to.deep.equal([
      [200, 12.5],
      [200, 1e9],
      [200, 0],
      [200, 50],
    ])
    const wrong = [400, ['/anomalyNotifyMinUSD']]
    expect([await patched(-0.01), await patched(1e9 + 1), await patched('5')]).to.deep.equal([wrong, wrong, wrong])
    await send(ana, 'PATCH', pathOf(ana), { requireSecondFactor: false })
    const shown = (await send(ana, 'GET', pathOf(ana))).body.data
    expect([shown.anomalyNotifyMinUSD, shown.requireSecondFactor]).to.deep.equal([50, false])
    const { connections } = await testProduct()
    const kept = 'select anomaly_notify_min_usd as usd from organization_setting where org_id = $1'
    expect(await connections.store.rows(kept, [ana.orgId])).to.deep.equal([{ usd: 50 }])
    const { items } = (await send(ana, 'GET', '/security-events?type=settings_changed')).body.data
    expect(items.map(({ detail }: any) => detail)).to.deep.include({ anomalyNotifyMinUSD: '12.5' })
    const recurring = { anomalyNotifyRecurring: true }
    expect((await send(ana, 'PATCH', pathOf(ana), recurring)).body.data).to.deep.include(recurring)
  })

  it('are for admins of the organization alone, and take nothing else', async () => {
    const [ana, eve] = [await founder(), await founder()]
    const ben = await colleague(ana, 'editor')
    expect(refusal(await send(ben, 'GET', pathOf(ana)))).to.equal('403 forbidden')
    expect(refusal(await send(ben, 'PATCH', pathOf(ana), { requireSecondFactor: false }))).to.equal('403 forbidden')
    expect(refusal(await send(eve, 'GET', pathOf(ana)))).to.equal('404 not_found')
    expect(refusal(await send(eve, 'PATCH', pathOf(ana), { requireSecondFactor: false }))).to.equal('404 not_found')
    expect(refusal(await send(ana, 'PATCH', pathOf(ana), { requireSecondFactors: true }))).to.equal(
      '400 invalid_parameter',
    )
    expect(refusal(await send(ana, 'PATCH', pathOf(ana), { requireSecondFactor: 'yes' }))).to.equal(
      '400 validation_failed',
    )
    expect((await send(ana, 'GET', pathOf(ana))).body.data.updatedAt).to.equal(null)
  })
})

describe('an organization that demands a second factor', () => {
  afterEach(resetClock)

  it('is made so by nobody who has none, by session or by token', async () => {
    const ana = await founder()
    expect(refusal(await demand(ana, true))).to.equal('403 second_factor_required')
    const token = await patOf(ana)
    const byToken = () => ask('PATCH', pathOf(ana), { token, body: { requireSecondFactor: true } })
    expect(refusal(await byToken())).to.equal('403 second_factor_required')
    expect((await demand(ana, false)).status).to.equal(200)
    await withDevice(ana)
    expect((await byToken()).status).to.equal(200)
  })

  it('is closed to sessions without one, but for enabling it; open to those with one and to tokens', async () => {
    const ana = await founder()
    const ben = await colleague(ana, 'viewer')
    const token = await patOf(ben)
    const device = await withDevice(ana)
    expect([await counts(ana), await counts(ben)]).to.deep.equal([200, 200])
    expect((await demand(ana, true)).status).to.equal(200)
    expect([await counts(ana), await counts({ accessToken: token })]).to.deep.equal([200, 200])
    expect(refusal(await send(ben, 'GET', '/resources/count'))).to.equal('403 second_factor_required')
    const made = await send(ben, 'POST', '/settings/personal-access-tokens', { name: 'ci' })
    expect(refusal(made)).to.equal('403 second_factor_required')
    expect((await send(ben, 'GET', '/organisations')).status).to.equal(200)
    expect((await send(ben, 'GET', '/auth/sessions')).status).to.equal(200)
    const signedIn = await loginWith(ana.email, device)
    expect(await counts(signedIn)).to.equal(200)
    const refreshed = await active(signedIn, ana.orgId)
    expect(await counts(refreshed), 'and after a refresh').to.equal(200)
    const own = await withDevice(ben)
    expect(await counts(ben), 'a code was shown').to.equal(200)
    expect(await counts(await loginWith(ben.email, own))).to.equal(200)
  })

  it('is closed again to one who disables it, and says nothing in other organizations', async () => {
    const ana = await founder()
    const ben = await colleague(ana, 'viewer')
    const { orgId } = await founderBeside(ben)
    await withDevice(ana)
    await demand(ana, true)
    const device = await withDevice(ben)
    expect(await counts(ben)).to.equal(200)
    const code = await shownBy(device)
    expect((await send(ben, 'POST', '/auth/second-factor/disable', { password, code })).status).to.equal(204)
    expect(await counts(ben)).to.equal(403)
    expect((await ask('GET', '/resources/count', { token: ben.accessToken, orgId })).status).to.equal(200)
  })

  it('takes a session through its own provider as one with a second factor', async () => {
    const ana = await founder()
    const ben = await colleague(ana, 'viewer')
    const provided = await active(await login(ben.email), ana.orgId)
    const em = (await testProduct()).product.get(tokens.identity).em()
    await em.nativeUpdate(
      Session,
      { id: claimsOf(provided.accessToken)['sid'] as string },
      { method: 'saml', boundTo: ana.orgId },
    )
    await withDevice(ana)
    await demand(ana, true)
    expect([await counts(ben), await counts(provided)]).to.deep.equal([403, 200])
  })
})
