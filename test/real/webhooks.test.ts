/** Recorded webhooks of GitHub, byte for byte, with signatures and ids that were worked out by others. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { uuid5 } from '#engine/value/id.ts'
import { parseJson } from '#engine/value/json.ts'
import { sourceReaders } from '#streams/source/index.ts'
import { build } from '#config/wiring/container.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { serve, type Serving } from '#http/edge/serve.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { hook, plantedDeployment } from '#test/harness/source.ts'
import { deepDescribe, sample } from '#test/harness/tier.ts'
import { describeReal } from '#test/real/data.ts'

interface Expected {
  event: string
  action: string | null
  bytes: number
  signature: string
  exampleDeliveryId: string
  cloneUrl: string | null
  ref: string | null
  branch: string | null
  deletedPush: boolean | null
  after: string | null
  pullRequestHead: string | null
  installation: number | null
  repositoriesAdded: string[]
  repositoriesRemoved: string[]
  repositories: string[]
}

const { github } = sourceReaders
const namespace = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
const now = new Date()

describeReal('recorded webhooks', (folder) => {
  const { secret, files } = JSON.parse(readFileSync(path.join(folder, 'expected/webhooks.json'), 'utf8')) as {
    secret: string
    files: Record<string, Expected>
  }
  const recorded = Object.entries(files).map(([file, expected]) => {
    const name = path.basename(file)
    return { name, expected, raw: readFileSync(path.join(folder, 'webhooks', name)) }
  })
  const isSigned = (raw: Buffer, signature: string) =>
    github.isSigned({ 'x-hub-signature-256': signature }, raw, [secret], now)

  it('are signed as they were recorded, and their revisions are called as others call them [HOOK-03] [HOOK-08]', () => {
    expect(recorded).to.have.length(32)
    for (const { name, expected, raw } of recorded) {
      expect(raw.length, name).to.equal(expected.bytes)
      expect(isSigned(raw, expected.signature), name).to.equal(true)
      const known = (expected as unknown as Record<string, unknown>)[`revisionIdForDeployment_${namespace}`]
      expect(uuid5(namespace, expected.exampleDeliveryId), name).to.equal(known)
    }
  })

  it('are not, with a byte of them changed, nor of their signature, whichever it is [HOOK-03] [HOOK-04]', function () {
    this.timeout(180_000)
    for (const { name, expected, raw } of sample(recorded, 1)) {
      const changed = Buffer.from(raw)
      const passed: number[] = []
      for (let i = 0; i < raw.length; i++) {
        changed[i]! ^= 1
        if (isSigned(changed, expected.signature)) passed.push(i)
        changed[i]! ^= 1
      }
      expect(passed, name).to.deep.equal([])
      for (let i = 0; i < expected.signature.length; i++) {
        const other = Buffer.from(expected.signature)
        other[i]! ^= 1
        expect(isSigned(raw, other.toString('latin1')), `${name} ${i}`).to.equal(false)
      }
    }
  })

  it('mean what they are about: branches that were pushed, commits to look at, repositories, or nothing [HOOK-07] [HOOK-10] [HOOK-11]', () => {
    const looked = new Set(['opened', 'synchronize', 'reopened'])
    for (const { name, expected, raw } of recorded) {
      const read = github.read(expected.event, parseJson(raw.toString('utf8')))
      const { event, action, branch, after, cloneUrl, ref } = expected
      if (event === 'push' && branch !== null && !expected.deletedPush) {
        const { pushed_at: at } = (JSON.parse(raw.toString('utf8')) as { repository: { pushed_at: number } }).repository
        const pushedAt = new Date(at * 1000).toISOString()
        const pushes = [{ ref, branch, commitSha: after, repositoryUrl: cloneUrl, pushedAt }]
        const by = expected.installation === null ? {} : { installationId: String(expected.installation) }
        expect(read, name).to.deep.equal({ kind: 'push', pushes, ...by })
      } else if (event === 'pull_request' && looked.has(action!)) {
        expect(read, name).to.include({
          kind: 'pull-request',
          headSha: expected.pullRequestHead,
          repositoryUrl: cloneUrl,
        })
      } else if (event.startsWith('installation') && action !== 'new_permissions_accepted') {
        expect(read, name).to.include({ kind: 'installation', installationId: String(expected.installation) })
        const names = read.kind === 'installation' ? read.added.map(({ fullName }) => fullName) : []
        const added = action === 'created' ? expected.repositories : expected.repositoriesAdded
        expect(names, name).to.deep.equal(added)
      } else expect(read, name).to.deep.equal({ kind: 'none' })
    }
  })

  deepDescribe('sent to the product', () => {
    let org: Tenant
    let serving: Serving
    let deployment: string
    before(async () => {
      org = await tenant()
      const settings = { ...org.connections.settings, sourceSecret: secret }
      const product = build({ ...org.connections, settings, onLeaseLost: { call: () => {} } } as never)
      serving = await serve(product.get(tokens.edge), { port: 0, host: '127.0.0.1' })
      deployment = await plantedDeployment(org, { url: 'https://github.com/Codertocat/Hello-World', branch: 'master' })
    })
    after(async () => {
      await serving.close()
      await org.send('DELETE', `/deployments/${deployment}`)
    })

    it('make one revision, of the branch that was pushed, and none of what was deleted [HOOK-01] [HOOK-07] [HOOK-09]', async () => {
      const results: Record<string, string[]> = {}
      for (const { name, expected, raw } of recorded) {
        const delivery = randomUUID()
        const given = { event: expected.event, signature: expected.signature, delivery, url: serving.url }
        const { status, body } = await hook(raw, given)
        expect(status, `${name} ${JSON.stringify(body)}`).to.equal(202)
        if (body.data.revisionIDs.length > 0) expect(body.data.revisionIDs).to.include(uuid5(deployment, delivery))
        ;(results[body.data.result as string] ??= []).push(name)
      }
      expect(results['accepted']).to.have.members([
        'installation__created.payload.json',
        'installation__created.with-requester.payload.json',
        'installation_repositories__added.payload.json',
        'push__with-new-branch.payload.json',
      ])
      expect(results['ignored']).to.have.length(28)
      const { items } = (await org.get(`/deployments/${deployment}/revisions`)).body.data
      expect(items.map((one: any) => one.commitSHA)).to.deep.equal(['6113728f27ae82c7b1a177c8d03f9e96e0adf246'])
    })
  })
})
