import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import jwt from 'jsonwebtoken'
import { build } from '#config/wiring/container.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { serve, type Serving } from '#http/edge/serve.ts'
import { ask } from '#test/harness/people.ts'
import { answerOf, sourceSecrets, tenant, until, type Answer, type Tenant } from '#test/harness/product.ts'
import { freshUrl, hook, ordersOf, plantedDeployment, pushOf, revisionsOf, shaOf } from '#test/harness/source.ts'
import { deepIt } from '#test/harness/tier.ts'

const secret = sourceSecrets.BUILD_CALLBACK_SECRET
const image = 'registry.example.test/shop@sha256:1111'

describe('a callback of a builder', () => {
  let org: Tenant
  let url: string
  let deployment: string
  before(async () => {
    org = await tenant()
  })
  beforeEach(async () => {
    url = freshUrl()
    deployment = await plantedDeployment(org, { url })
  })

  /** The revision of a push, once its build is under way. */
  const building = async (sha = shaOf('1')): Promise<string> => {
    const { body } = await hook(pushOf(url, sha))
    const [id] = body.data.revisionIDs as [string]
    await until('the order of the build', async () => (await statusOf(id)) === 'building')
    return id
  }
  const statusOf = async (id: string) => (await org.get(`/revisions/${id}`)).body.data.status as string
  const current = async () => (await org.get(`/deployments/${deployment}`)).body.data.currentRevisionID as string

  const now = () => Math.floor(Date.now() / 1000)
  const signed = (rev: string, claims: object = {}, key: string = secret): string =>
    jwt.sign({ rev, iat: now(), exp: now() + 1800, ...claims }, key, { algorithm: 'HS256' })
  const report = (id: string, token: string, fields: object = { status: 'succeeded', imageRef: image }) =>
    ask('POST', `/build-callbacks/${id}`, { body: { token, ...fields } })
  const said = ({ status, body }: Answer) => [status, body.data?.status ?? body.code]

  it('by a token that is not the one of its revision changes nothing [S-23] [HOOK-14] [HOOK-15] [HOOK-16] [HOOK-17]', async () => {
    const id = await building()
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify({ rev: id, iat: now(), exp: now() + 60 })).toString('base64url')}.`
    const whole = jwt.sign({ rev: id, iat: now() }, secret, { algorithm: 'HS256' })
    const forged = [
      signed(randomUUID()),
      signed(id, { iat: now() - 1801, exp: now() + 60 }),
      whole,
      signed(id, { exp: now() - 1 }),
      signed(id, {}, 'wrong'),
      none,
    ]
    for (const token of forged)
      expect(said(await report(id, token)), token).to.deep.equal([401, 'invalid_callback_token'])
    expect(await statusOf(id)).to.equal('building')
    expect(said(await report(id, signed(id, { iat: now() - 1790, exp: now() + 60 })))).to.deep.equal([200, 'promoted'])
    expect(await current()).to.equal(id)
  })

  it('by the token of its order promotes it, once [S-23] [HOOK-02] [HOOK-19] [HOOK-20]', async () => {
    const id = await building()
    const { data } = (await ordersOf(org)).find((order) => order.id === id)!
    const claims = jwt.verify(data.callbackToken as string, secret, { algorithms: ['HS256'] }) as jwt.JwtPayload
    expect([claims['rev'], claims.exp! - claims.iat!]).to.deep.equal([id, 1800])
    const fields = {
      status: 'succeeded',
      imageRef: image,
      logsURL: 'https://builds.example.test/42',
      completedAt: '2026-01-15T10:00:00.000Z',
    }
    for (let i = 0; i < 2; i++)
      expect(said(await report(id, data.callbackToken as string, fields))).to.deep.equal([200, 'promoted'])
    const [shown] = await revisionsOf(org, deployment)
    expect(shown).to.deep.include({
      ...fields,
      status: 'promoted',
      id,
      deploymentID: deployment,
      commitSHA: shaOf('1'),
    })
    const live = async (from: string, to: string) =>
      ((await org.get(`/revisions?from=${from}&to=${to}`)).body.data as any[]).filter((one) => one.id === id)
    const { name } = (await org.get(`/deployments/${deployment}`)).body.data
    expect(await live('2026-01-15', '2026-01-15')).to.deep.equal([
      {
        id,
        deploymentID: deployment,
        deploymentName: name,
        commitSHA: shaOf('1'),
        imageRef: image,
        completedAt: fields.completedAt,
      },
    ])
    expect([...(await live('2026-01-01', '2026-01-14')), ...(await live('2026-01-16', '2026-01-31'))]).to.deep.equal([])
    const other = await report(id, data.callbackToken as string, { status: 'failed', failureReason: 'no' })
    expect(said(other)).to.deep.equal([409, 'revision_finished'])
  })

  it('of a failure keeps its reason, and what is promoted stays [S-23] [HOOK-19]', async () => {
    const first = await building()
    await report(first, signed(first))
    const second = await building(shaOf('2'))
    const fields = { status: 'failed', failureReason: 'tests failed', logsURL: 'https://builds.example.test/43' }
    expect(said(await report(second, signed(second), fields))).to.deep.equal([200, 'failed'])
    expect(said(await report(second, signed(second), fields))).to.deep.equal([200, 'failed'])
    expect((await org.get(`/revisions/${second}`)).body.data).to.deep.include(fields)
    expect(await current()).to.equal(first)
  })

  it('of an older push leaves the newer one in its place, whichever ends first [HOOK-19]', async () => {
    const [older, newer] = [await building(), await building(shaOf('2'))]
    expect(said(await report(newer, signed(newer)))).to.deep.equal([200, 'promoted'])
    expect(said(await report(older, signed(older)))).to.deep.equal([200, 'superseded'])
    expect(said(await report(older, signed(older)))).to.deep.equal([200, 'superseded'])
    expect(await current()).to.equal(newer)
  })

  it('is refused without an image, with another status, and of a revision that there is not [HOOK-19]', async () => {
    const id = await building()
    const refused = async (fields: object) => {
      const { status, body } = await report(id, signed(id), fields)
      return [status, ...body.errors.map((e: any) => e.name)]
    }
    expect(await refused({ status: 'succeeded' })).to.deep.equal([400, '/imageRef'])
    expect(await refused({ status: 'done' })).to.include('/status')
    expect(await statusOf(id)).to.equal('building')
    const unknown = randomUUID()
    expect(said(await report(unknown, signed(unknown)))).to.deep.equal([404, 'not_found'])
  })

  describe('of a service without secrets', () => {
    let bare: Serving
    before(async () => {
      const settings = { ...org.connections.settings, sourceSecret: undefined, buildCallbackSecret: undefined }
      const product = build({ ...org.connections, settings, onLeaseLost: { call: () => {} } } as never)
      bare = await serve(product.get(tokens.edge), { port: 0, host: '127.0.0.1' })
    })
    after(async () => bare.close())

    deepIt('has no such route, nor does its document know one [S-23] [HOOK-18]', async () => {
      const id = randomUUID()
      const sent = { method: 'POST', headers: { 'Content-Type': 'application/json' } }
      const body = JSON.stringify({ token: signed(id), status: 'failed' })
      const answer = await answerOf<any>(await fetch(`${bare.url}/build-callbacks/${id}`, { ...sent, body }))
      expect([answer.status, answer.body.code]).to.deep.equal([404, 'not_found'])
      const paths = async (at: string) =>
        Object.keys((await answerOf<any>(await fetch(`${at}/openapi.json`))).body.paths as object)
      expect(await paths(bare.url)).to.not.include('/build-callbacks/{revisionID}')
      expect(await paths(org.url)).to.include('/build-callbacks/{revisionID}')
    })

    it('takes no webhooks, and says so [HOOK-21]', async () => {
      const raw = pushOf(url)
      const { status, body, headers } = await hook(raw, { url: bare.url })
      expect([status, body.code, headers.get('retry-after')]).to.deep.equal([503, 'unavailable', '5'])
    })
  })
})
