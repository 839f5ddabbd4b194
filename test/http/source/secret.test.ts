import { expect } from 'chai'
import pino from 'pino'
import { tokens } from '#config/wiring/tokens.ts'
import { build } from '#config/wiring/container.ts'
import { edge } from '#http/edge/edge.ts'
import { routes, site } from '#http/index.ts'
import { tokenScope } from '#http/edge/scope.ts'
import { serve, type Serving } from '#http/edge/serve.ts'
import { readSettings } from '#config/settings/settings.ts'
import { sourceSecrets, tenant, until, type Tenant } from '#test/harness/product.ts'
import { receiver, type Receiver } from '#test/harness/receiver.ts'
import {
  freshUrl,
  hook,
  ordersOf,
  plantedDeployment,
  plantedSpace,
  pushOf,
  shaOf,
  signatureOf,
} from '#test/harness/source.ts'
import { sample } from '#test/harness/tier.ts'

/** Those that are shared by setting; test product and test process have no others like them. */
const planted = Object.values(sourceSecrets)

describe('secrets of hosts and builders [HOOK-21]', () => {
  let org: Tenant
  let serving: Serving
  let host: Receiver
  const lines: string[] = []
  const answers: string[] = []
  before(async () => {
    org = await tenant()
    host = await receiver()
    host.status = 403
    const report = (a: object, text: string) => void lines.push(JSON.stringify([text, String((a as any).err), a]))
    const product = build({ ...org.connections, report: { info: report, warn: report, error: report } } as never)
    const { authenticator } = product.get(tokens.identity)
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
    const all = site(routes, { version: '1', ready: async () => [], hooks: true })
    const made = edge(all, tokenScope(authenticator, product.get(tokens.services)), { log })
    serving = await serve(made, { port: 0, host: '127.0.0.1' })
    Object.assign(org.product.get(tokens.source), { apiUrl: new URL(host.url).origin })
    Object.assign(product.get(tokens.source), { apiUrl: new URL(host.url).origin })
  })
  after(async () => {
    Object.assign(org.product.get(tokens.source), { apiUrl: undefined })
    await serving.close()
    await host.end()
  })

  const noted = async (answer: Promise<{ status: number; body: unknown; headers: Headers }>) => {
    const { status, body, headers } = await answer
    answers.push(`${status} ${JSON.stringify([...headers])} ${JSON.stringify(body)}`)
    return body as any
  }

  it('stand in no log line and in no answer, whatever is sent and however it fails', async () => {
    const url = freshUrl()
    const id = await plantedDeployment(org, { url, spaceId: await plantedSpace(org) })
    const at = { url: serving.url }
    const { data } = await noted(hook(pushOf(url), at))
    await until('the order', async () => (await ordersOf(org)).length === 1)
    const token = (await ordersOf(org))[0]!.data.callbackToken as string
    const [revision] = data.revisionIDs as [string]
    for (const secret of sample(planted, 3)) {
      await noted(hook(pushOf(url), { ...at, signature: secret }))
      await noted(hook(`{"a":"${secret}"`, at))
      await noted(hook(pushOf(url), { ...at, event: '', signature: signatureOf(pushOf(url), secret) }))
      await noted(hook(pushOf(url), { ...at, path: '/webhooks/gitlab', headers: { 'X-Gitlab-Token': secret } }))
    }
    const pull = JSON.stringify({
      action: 'opened',
      pull_request: { head: { sha: shaOf('5') } },
      repository: { clone_url: url },
    })
    await noted(hook(pull, { ...at, event: 'pull_request' }))
    await until('the refused status', async () => host.posts.length > 0)
    const sent = { 'Content-Type': 'application/json' }
    for (const body of [
      { token, status: 'no' },
      { token: `${token}x`, status: 'failed' },
      { token, status: 'failed' },
    ]) {
      const given = { ...sent, 'X-Hub-Signature-256': signatureOf(JSON.stringify(body)) }
      const answer = fetch(`${serving.url}/build-callbacks/${revision}`, {
        method: 'POST',
        headers: given,
        body: JSON.stringify(body),
      })
      await noted(answer.then(async (r) => ({ status: r.status, headers: r.headers, body: await r.json() })))
    }
    for (const path of [
      `/deployments/${id}`,
      `/deployments/${id}/revisions`,
      `/revisions/${revision}`,
      '/security-events',
    ])
      await noted(org.get(path))
    for (const path of ['/deployments', '/dead-letters', '/source-repositories', '/openapi.json'])
      await noted(org.get(path))
    expect(answers.filter((answer) => answer.startsWith('202'))).to.have.length.above(1)
    expect(lines.filter((line) => line.includes('/webhooks/github'))).to.have.length.above(5)
    const hidden = [...planted, token]
    for (const secret of hidden) {
      expect(
        lines.filter((line) => line.includes(secret)),
        secret,
      ).to.deep.equal([])
      // What a sender puts into a body that is no JSON is not said again either.
      expect(
        answers.filter((answer) => answer.includes(secret)),
        secret,
      ).to.deep.equal([])
    }
  })

  it('are not named by a setting that is wrong', () => {
    const said = () => readSettings({ SOURCE_API_URL: 'ftp://planted-in-a-setting' })
    expect(said).to.throw('SOURCE_API_URL must be')
    expect(said).to.not.throw('planted')
  })
})
