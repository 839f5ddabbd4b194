import { expect } from 'chai'
import { stepsOf } from '#http/recommendation/step.ts'
import { internalToken } from '#http/identity/session/authenticate.ts'
import { deriveKey, sealKey } from '#config/secrets/seal.ts'
import { ask } from '#test/harness/people.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'
import { recommended } from '#test/harness/recommendation.ts'

const told = ({ status, body }: Answer) => [
  status,
  body?.code,
  ...(body?.errors ?? []).map((e: any) => `${e.name} ${e.code}`),
]
const secret = deriveKey(sealKey(Buffer.alloc(32, 7).toString('base64')), 'internal-token').toString('base64')
const serviceOf = (orgId?: string) => internalToken(secret, 'scheduler', new Date(), orgId)

const generated = {
  id: 'h-1',
  event: 'generated',
  actor: 'system',
  actorType: 'system',
  createdAt: '2026-01-10T10:00:00.000Z',
}
const dismissed = {
  id: 'h-2',
  event: 'dismissed',
  actor: 'u-1',
  actorType: 'user',
  createdAt: '2026-01-12T10:00:00.000Z',
  note: 'Kept for February',
}

describe('one recommendation', () => {
  let org: Tenant
  let plain: string
  let bought: string
  let foreign: string
  before(async () => {
    org = await tenant()
    ;[plain, bought] = (await recommended(
      org,
      { history: [dismissed, generated] },
      {
        resource_uid: '/subscriptions/s',
        provider: 'azure',
        resource_type: 'azure-subscription',
        resource_group: 'shop',
        category: 'discount',
        rule_id: 'RC-3501',
        target_spec: { hourly: 2.5, term: '1yr' },
        tier_rates: { onDemand: 0.384, oneYear: 0.242, threeYear: 0.166 },
        history: [generated],
      },
    )) as [string, string]
    ;[foreign] = (await recommended(await tenant(), {})) as [string]
  })
  const get = async (path: string) => org.get(`/recommendations/${path}`)

  it('has in its detail what lists leave out, each as far as it is there [REC-09] [REC-33] [REC-34] [REC-35] [REC-36] [REC-37] [REC-38]', async () => {
    const listed = (await org.get('/recommendations')).body.data.items
    const only = [
      'specs',
      'targetSpec',
      'region',
      'resourceGroup',
      'resourceTags',
      'tierRates',
      'metrics',
      'remediationSteps',
    ]
    for (const item of listed) expect(Object.keys(item)).not.to.include.members(only)
    const of = (id: string) => listed.find((one: any) => one.id === id)
    const remediationSteps = [
      { order: 1, text: 'Ask the owner, then stop the instance.' },
      { order: 2, text: 'Attached volumes keep their data.' },
    ]
    const common = {
      specs: { instanceType: 'm5.large' },
      region: 'us-east-1',
      resourceTags: { env: 'prod' },
      remediationSteps,
    }
    expect((await get(`${plain}/detail`)).body.data).to.deep.equal({
      ...of(plain),
      ...common,
      resourceGroup: '',
      metrics: [],
    })
    expect((await get(`${bought}/detail`)).body.data).to.deep.equal({
      ...of(bought),
      ...common,
      resourceGroup: 'shop',
      metrics: [],
      targetSpec: { hourly: 2.5, term: '1yr' },
      tierRates: { onDemand: 0.384, oneYear: 0.242, threeYear: 0.166 },
    })
  })

  it('tells what happened to it, the oldest first [REC-10] [REC-48]', async () => {
    expect((await get(`${plain}/history`)).body.data).to.deep.equal([generated, dismissed])
  })

  it('is one of up to 200 whose activity is asked for at once; of what is not the caller’s there is no key [REC-11] [REC-49] [REC-50] [REC-51]', async () => {
    const activity = (...ids: string[]) => get(`activity?rec_id=${ids.join(',')}`)
    const strange = Array.from({ length: 197 }, (_, n) => `none-${n}`)
    const { status, body } = await activity(plain, plain, bought, foreign, ...strange)
    expect([status, body.data]).to.deep.equal([200, { [plain]: [generated, dismissed], [bought]: [generated] }])
    expect((await get(`activity?rec_id=${plain}&rec_id=${bought}`)).body.data).to.have.all.keys(plain, bought)
    expect(told(await activity(plain, bought, foreign, ...strange, 'one-more'))).to.deep.equal([
      400,
      'validation_failed',
      'rec_id maxItems',
    ])
    expect(told(await get('activity'))).to.deep.equal([400, 'validation_failed', 'rec_id required'])
    expect(told(await get('activity?rec_id='))).to.deep.equal([400, 'validation_failed', 'rec_id minItems'])
  })

  it('is opened by programs without a trace, and by services for the organization they name [REC-53]', async () => {
    const view = async (token: string, id: string) => {
      const { status, body } = await ask('POST', `/recommendations/${id}/viewed`, { token })
      return [status, body?.code]
    }
    expect(await view(org.token, plain)).to.deep.equal([204, undefined])
    expect(await view(serviceOf(org.orgId), plain)).to.deep.equal([204, undefined])
    expect(await view(serviceOf(org.orgId), foreign)).to.deep.equal([404, 'not_found'])
    expect(await view(serviceOf(), plain)).to.deep.equal([403, 'organization_required'])
    expect((await get(`${plain}/history`)).body.data).to.deep.equal([generated, dismissed])
    const other = await ask('GET', `/recommendations/${plain}/history`, { token: serviceOf(org.orgId) })
    expect(told(other)).to.deep.equal([403, 'forbidden'])
  })

  it('is decided by words that people may say alone [REC-08] [REC-46]', async () => {
    const decide = async (body: object, id = plain) => told(await org.send('PATCH', `/recommendations/${id}`, body))
    const soon = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    for (const [body, ...expected] of [
      [{ status: 'optimised' }, '/status enum'],
      [{ status: 'rule_retired' }, '/status enum'],
      [{}, '/status required'],
      [{ status: 'applied', snoozeUntil: soon(1) }, '/snoozeUntil unexpected'],
      [{ status: 'open', snoozeUntil: soon(1) }, '/snoozeUntil unexpected'],
      [{ status: 'dismissed', snoozeUntil: soon(-1) }, '/snoozeUntil range'],
      [{ status: 'dismissed', snoozeUntil: soon(366) }, '/snoozeUntil range'],
      [{ status: 'dismissed', snoozeUntil: 'tomorrow' }, '/snoozeUntil format'],
      [{ status: 'dismissed', appliedAt: soon(-1) }, '/appliedAt unexpected'],
      [{ status: 'open', appliedAt: soon(-1) }, '/appliedAt unexpected'],
      [{ status: 'applied', appliedAt: soon(1) }, '/appliedAt range'],
      [{ status: 'applied', appliedAt: soon(-91) }, '/appliedAt range'],
      [{ status: 'applied', appliedAt: 'last week' }, '/appliedAt format'],
      [{ status: 'dismissed', note: 'x'.repeat(1001) }, '/note maxLength'],
    ] as const)
      expect(await decide(body), JSON.stringify(body).slice(0, 60)).to.deep.equal([
        400,
        'validation_failed',
        ...expected,
      ])
    for (const id of [foreign, 'none', 'x y'])
      expect(await decide({ status: 'applied' }, encodeURIComponent(id)), id).to.deep.equal([404, 'not_found'])
  })

  it('is not there for those who may not see services, nor changed by those who may only see', async () => {
    const token = await org.tokenFor('viewer')
    const patched = await ask('PATCH', `/recommendations/${plain}`, { token, body: { status: 'applied' } })
    expect(told(patched)).to.deep.equal([403, 'forbidden'])
    expect(told(await ask('POST', '/recommendations/refresh', { token }))).to.deep.equal([403, 'forbidden'])
    expect((await ask('POST', `/recommendations/${plain}/viewed`, { token })).status).to.equal(204)
    for (const path of ['detail', 'history'])
      expect(told(await get(`${foreign}/${path}`)), path).to.deep.equal([404, 'not_found'])
  })
})

describe('steps of a remediation', () => {
  for (const [text, ...steps] of [
    ['Require secure transfer and TLS 1.2.', ['Require secure transfer and TLS 1.2.']],
    ['Stop it. Nobody asks? Delete it.', ['Stop it.'], ['Nobody asks?'], ['Delete it.']],
    [
      '1. Take a snapshot.\n2) Run `aws ec2 stop-instances --instance-ids i-1`.\n- Wait',
      ['Take a snapshot.'],
      ['Run `aws ec2 stop-instances --instance-ids i-1`.', 'aws ec2 stop-instances --instance-ids i-1'],
      ['Wait'],
    ],
    ['1. Stop it. 2. Delete it.', ['Stop it.'], ['Delete it.']],
    [''],
  ] as const)
    it(`are the sentences and numbered lines of a text: ${JSON.stringify(text)}`, () => {
      expect(stepsOf(text)).to.deep.equal(
        steps.map(([said, command], at) => ({ order: at + 1, text: said, ...(command && { command }) })),
      )
    })
})
