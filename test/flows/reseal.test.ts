import { createCipheriv, randomBytes, randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { mailSealed } from '#actors/notification/mail.ts'
import { headersSealed } from '#actors/unit-metric/entity.ts'
import { credentialsSealed } from '#actors/account/connection/credentials.ts'
import { databaseSealed, secretsSealed } from '#actors/catalog/entity.ts'
import { finishRotation, leftOver, reseal } from '#config/upkeep/reseal.ts'
import { build } from '#config/wiring/container.ts'
import { deriveKey, freshKey, keptKeys, sealKey, sealedUnder, writeKeys } from '#config/secrets/seal.ts'
import { allSealedColumns } from '#config/secrets/sealed-columns.ts'
import { tokens, type Product } from '#config/wiring/tokens.ts'
import type { Open, SealedColumn } from '#engine/seal.ts'
import { checkLink, linkTo } from '#http/export/link.ts'
import { internalToken } from '#http/identity/session/authenticate.ts'
import { verifyEmail } from '#http/identity/session/login.ts'
import { erasureSealed, oidcSignInSealed } from '#http/identity/sealed-columns.ts'
import { refreshSession } from '#http/identity/session/session.ts'
import { asService } from '#http/store/tenant.ts'
import { oidcOff } from '#test/harness/openid.ts'
import { inProcess } from '#test/harness/command-line.ts'
import { address, ask, codeFor, founder, password, type Founder } from '#test/harness/people.ts'
import { plantedDatabase, plantedJob } from '#test/harness/catalog-row.ts'
import { testProduct, until, type TestProduct } from '#test/harness/product.ts'
import { testFolder, testLanes, testStores } from '#test/harness/stores.ts'

const old = Buffer.alloc(32, 7).toString('base64')
const client = { ip: '', userAgent: '', requestId: '' }

/** As values were sealed before keys had names. */
function sealedBefore(secret: unknown): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(old, 'base64'), nonce)
  const text = Buffer.concat([cipher.update(JSON.stringify(secret), 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64')
}

describe('a new credentials key', () => {
  let world: TestProduct
  let ana: Founder
  let folder: string
  /** The product as a process sees it whose keys are those of `folder`, on the stores of the running one. */
  let product: Product
  const send = (method: string, path: string, body: object) => ask(method, path, { token: ana.accessToken, body })
  const pool = () => world.connections.store.pool

  /** Other tests leave what no key of ours opens: words for secrets, and secrets of products they have stopped. */
  async function forgetStrangers(): Promise<void> {
    const { open } = world.product.get(tokens.seal)
    for (const column of allSealedColumns) {
      const value = column.member === undefined ? column.column : `${column.column}->>'${column.member}'`
      const org = column.isOfOrg ? 'org_id' : `''`
      const { rows } = await pool().query(
        `select ${org} as org, ${value} as value from ${column.table} where ${value} is not null`,
      )
      for (const row of rows)
        try {
          open(column, row.org as string, row.value as string)
        } catch {
          await pool().query(`delete from ${column.table} where ${value} = $1`, [row.value])
        }
    }
  }

  before(async () => {
    world = await testProduct()
    await forgetStrangers()
    ana = await founder()
    folder = testFolder()
    writeFileSync(path.join(folder, 'credentials.key'), `${old}\n`)
    const settings = { ...world.connections.settings, credentialsKey: undefined, dataDir: folder }
    product = build({ ...world.connections, settings })
    await ask('GET', '/auth/saml/metadata')
    const credentials = { roleARN: 'arn:aws:iam::123456789012:role/tidemark', externalID: 'x' }
    const account = await send('POST', '/cloud-accounts', {
      name: 'A',
      provider: 'aws',
      externalID: 'sealed',
      credentials,
    })
    expect(account.status, JSON.stringify(account.body)).to.equal(201)
    const at = { url: 'http://127.0.0.1:9/', timestampField: 't', valueField: 'v', intervalMinutes: 60 }
    const fixed = { unit: 'order', ingestion: 'pull', aggregation: 'sum' }
    for (const key of ['before', 'now'])
      await send('POST', '/unit-metrics', {
        ...fixed,
        name: key,
        key,
        pull: { ...at, headers: { authorization: key } },
      })
    await pool().query(`update unit_metric set pull_headers = $1 where org_id = $2 and key = 'before'`, [
      sealedBefore({ authorization: 'before' }),
      ana.orgId,
    ])
    await send('POST', '/auth/second-factor', { password })
    const headers = { 'Idempotency-Key': randomUUID() }
    await ask('POST', '/teams', { token: ana.accessToken, body: { name: 'Shop' }, headers })
    await send('POST', '/kubernetes/sources', {
      cloudAccountID: account.body.data.id,
      clusterUID: 'shop',
      url: 'http://127.0.0.1:9',
      headers: { authorization: 'now' },
    })
    await send('POST', '/export-schedules', {
      name: 'Warehouse',
      destination: { kind: 's3', bucket: 'shop-finops', region: 'eu-central-1' },
      credentials: { accessKeyID: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' },
      every: 'day',
      hour: 6,
      timezone: 'UTC',
      isOn: false,
    })
    await send('POST', '/notifications/channels', {
      type: 'slack',
      name: 'Shop',
      config: { webhookURL: 'http://127.0.0.1:9/hook' },
    })
    await send('PUT', `/organisations/${ana.orgId}/oidc`, oidcOff(`${ana.orgId}.example`))
    const { seal } = world.product.get(tokens.seal)
    await pool().query(
      `insert into oidc_sign_in (hash, org_id, sealed, verifier_hash, created_at) values ('h', $1, $2, 'v', now())`,
      [ana.orgId, seal(oidcSignInSealed, ana.orgId, { verifier: 'v', nonce: 'n' })],
    )
    await pool().query(
      `insert into person_erasure (user_id, sealed, pseudonym, asked_at) values (gen_random_uuid(), $1, 'Erased', '2999-01-01')`,
      [seal(erasureSealed, '', { email: 'gone@example.com' })],
    )
    const jobId = await plantedJob(
      { ...world, orgId: ana.orgId },
      { secrets: seal(secretsSealed, ana.orgId, { admin: 'x' }) },
    )
    await plantedDatabase({ ...world, orgId: ana.orgId }, jobId, {
      secret: seal(databaseSealed, ana.orgId, { shop: 'y' }),
    })
    const mail = { to: 'ana@example.com', subject: 'Later', text: 'x' }
    const input = { sealed: world.product.get(tokens.seal).seal(mailSealed, '', mail) }
    await pool().query(
      `insert into effect (key, name, org_id, input, due) values ('mail:later', 'mail', '', $1, '2999-01-01')`,
      [JSON.stringify(input)],
    )
  })
  after(() => pool().query(`delete from effect where key = 'mail:later'`))
  after(() => pool().query(`delete from person_erasure where pseudonym = 'Erased'`))

  /** What is kept sealed, opened. */
  async function secrets(open: Open): Promise<string[]> {
    const all: string[] = []
    for (const column of allSealedColumns) {
      const value = column.member === undefined ? column.column : `${column.column}->>'${column.member}'`
      const org = column.isOfOrg ? 'org_id' : `''`
      const { rows } = await pool().query(
        `select ${org} as org, ${value} as value from ${column.table} where ${value} is not null`,
      )
      for (const row of rows)
        all.push(`${column.table} ${row.org} ${JSON.stringify(open(column, row.org as string, row.value as string))}`)
    }
    return all.toSorted()
  }

  it('is begun by one of each that is kept sealed', async () => {
    for (const column of allSealedColumns) {
      const value = column.member === undefined ? column.column : `${column.column}->>'${column.member}'`
      const { rows } = await pool().query(`select count(*)::int as n from ${column.table} where ${value} is not null`)
      expect(rows[0].n, column.table).to.be.greaterThan(0)
    }
  })

  it('finds everything that is sealed in the one list of it', async () => {
    const { rows } = await pool().query<{ table: string; column: string }>(
      `select table_name as "table", column_name as "column" from information_schema.columns
       where table_schema = current_schema() and data_type in ('text', 'character varying', 'jsonb')`,
    )
    const found: string[] = []
    for (const { table, column } of rows) {
      // What an actor is told holds its credentials on their way to its row.
      const own = table === 'effect' ? `and name <> 'tell'` : ''
      const pattern = '(^|")s1\\.[0-9a-f]{12}\\.'
      const has = await pool().query(`select 1 from "${table}" where "${column}"::text ~ $1 ${own} limit 1`, [pattern])
      if (has.rows.length > 0) found.push(`${table}.${column}`)
    }
    expect(found.toSorted()).to.deep.equal(allSealedColumns.map(({ table, column }) => `${table}.${column}`).toSorted())
  })

  it('replaces the old one everywhere, however often that is cut off, and nothing is lost', async () => {
    const { open } = product.get(tokens.seal)
    const before = await secrets(open)
    const [first] = keptKeys(folder)()
    expect(first).to.deep.equal(sealKey(old))
    const fresh = freshKey(new Date(world.connections.clock.now()))
    writeKeys(folder, [fresh, first!])
    /** Ends after so many statements, as a process would that is killed. */
    const cutAfter = (statements: number) => {
      let left = statements
      const query = (...about: [string, unknown[]]) => {
        if (left-- === 0) throw new Error('cut off')
        return pool().query(...about)
      }
      return { store: { pool: { query } } } as never
    }
    let cuts = 0
    for (let n = 0; ; n++) {
      const ended = await reseal(cutAfter(n), product).then(
        () => true,
        () => false,
      )
      expect(await secrets(open), `cut off after ${n}`).to.deep.equal(before)
      if (ended) break
      cuts++
    }
    expect(cuts).to.be.greaterThan(allSealedColumns.length)
    await until('the actors have theirs', async () => (await leftOver(world.connections, product)) === 0)
    expect(await secrets(open)).to.deep.equal(before)
    for (const { table, column, member } of allSealedColumns) {
      const value = member === undefined ? column : `${column}->>'${member}'`
      const { rows } = await pool().query(`select ${value} as value from ${table} where ${value} is not null`)
      const others = rows.filter((row) => !(row.value as string).startsWith(sealedUnder(fresh)))
      expect(others, table).to.deep.equal([])
    }
  })

  it('leaves what people see of an account as it was', async () => {
    const { rows } = await pool().query('select credentials from cloud_account where org_id = $1', [ana.orgId])
    const { open } = product.get(tokens.seal)
    const opened = open(credentialsSealed, ana.orgId, rows[0].credentials as string)
    expect(opened).to.deep.equal({ roleARN: 'arn:aws:iam::123456789012:role/tidemark', externalID: 'x' })
  })

  it('replaces no value that somebody has given meanwhile', async () => {
    const { seal, open } = product.get(tokens.seal)
    const meanwhile = seal(headersSealed, ana.orgId, { authorization: 'given meanwhile' })
    await pool().query(`update unit_metric set pull_headers = $1 where org_id = $2 and key = 'now'`, [
      sealedBefore({ authorization: 'read' }),
      ana.orgId,
    ])
    const query = async (sql: string, values: unknown[]) => {
      if (sql.startsWith('update "unit_metric"'))
        await pool().query(`update unit_metric set pull_headers = $1 where org_id = $2 and key = 'now'`, [
          meanwhile,
          ana.orgId,
        ])
      return pool().query(sql, values)
    }
    await reseal({ store: { pool: { query } } } as never, product)
    const { rows } = await pool().query(`select pull_headers from unit_metric where org_id = $1 and key = 'now'`, [
      ana.orgId,
    ])
    expect(open(headersSealed, ana.orgId, rows[0].pull_headers as string)).to.deep.equal({
      authorization: 'given meanwhile',
    })
  })

  it('lets what was made with the old one end in its time: sessions, codes, links, calls between services', async () => {
    const identity = product.get(tokens.identity)
    const [, before] = identity.secretsFor('export')
    expect(before).to.deep.equal(deriveKey(sealKey(old), 'export'))
    const now = new Date()
    const url = new URL(linkTo('x', now, before!).path, 'http://x')
    const link = {
      id: 'x',
      expires: Number(url.searchParams.get('expires')),
      signature: url.searchParams.get('signature')!,
    }
    checkLink(link, now, product.get(tokens.exports).secrets())
    const call = internalToken(deriveKey(sealKey(old), 'internal-token').toString('base64'), 'scheduler', now)
    expect((await identity.authenticator.caller(`Bearer ${call}`)).principal).to.equal('svc:scheduler')
    const made = await ask('POST', '/auth/refresh', { body: { refreshToken: ana.refreshToken } })
    const again = await asService(() => refreshSession(identity, ana.refreshToken, undefined, client))
    expect(again.refreshToken).to.equal(made.body.data.refreshToken)
    const email = address()
    await ask('POST', '/auth/signup', { body: { email, password, name: 'Ben' } })
    const code = await codeFor(email)
    await asService(() => verifyEmail(identity, email, code, client))
  })

  it('is the only one a day later, once nothing needs the one before', async () => {
    const { connections } = world
    const settings = { ...connections.settings, credentialsKey: undefined, dataDir: folder }
    const [fresh, first] = keptKeys(folder)()
    const at = (hours: number) => ({
      ...connections,
      settings,
      clock: { now: () => Date.parse(fresh!.madeAt!) + hours * 3_600_000 },
    })
    // Codes and sessions of the test before were made by a process with the old key alone.
    await reseal(connections, product)
    await finishRotation(at(23) as never, product)
    expect(keptKeys(folder)(), 'after 23 hours').to.deep.equal([fresh, first])
    const unopened = sealedBefore('x').replace(/^..../, 'AAAA')
    await pool().query(`update unit_metric set pull_headers = $1 where org_id = $2 and key = 'now'`, [
      unopened,
      ana.orgId,
    ])
    await finishRotation(at(25) as never, product)
    expect(keptKeys(folder)(), 'while something needs it').to.deep.equal([fresh, first])
    await pool().query(`update unit_metric set pull_headers = null where org_id = $1 and key = 'now'`, [ana.orgId])
    await until('nothing needs it', async () => (await leftOver(connections, product)) === 0)
    await finishRotation(at(25) as never, product)
    expect(keptKeys(folder)()).to.deep.equal([fresh])
  })

  it('is made by the command, which goes on with one that was begun instead of making another', async () => {
    const rotate = async (...args: string[]) => {
      const { postgres, nats, clickhouse } = await testStores()
      const env = {
        ...process.env,
        TIDEMARK_DATA_DIR: folder,
        TIDEMARK_LANES: String(testLanes),
        POSTGRES_URL: postgres.url,
        NATS_URL: nats.url,
        CLICKHOUSE_URL: `${clickhouse.url}/${clickhouse.database}`,
      }
      const { code, stdout, stderr } = await inProcess(env, 'keys', 'rotate', ...args, '--json')
      expect(code, stderr).to.equal(0)
      return JSON.parse(stdout)
    }
    const [before] = keptKeys(folder)()
    const { credentials, kid } = await rotate('--only', 'credentials')
    const [made, second, ...more] = keptKeys(folder)()
    expect([kid, second, more]).to.deep.equal([undefined, before, []])
    expect(credentials).to.deep.include({ key: made!.id, isNew: true, isSetting: false, left: 0, unopened: 0 })
    expect(credentials.resealed).to.be.greaterThan(4)
    expect(readFileSync(path.join(folder, 'credentials.key'), 'utf8').split('\n')).to.have.length(3)
    await pool().query(`update unit_metric set pull_headers = $1 where org_id = $2 and key = 'now'`, [
      underKey(before!.bytes, headersSealed, ana.orgId, { authorization: 'left' }),
      ana.orgId,
    ])
    const again = await rotate('--only', 'credentials')
    expect(again.credentials).to.deep.include({ key: made!.id, isNew: false, resealed: 1, left: 0, unopened: 0 })
    expect(await rotate('--only', 'signing')).to.have.all.keys('kid')
  })

  it('may be a setting: the first of several seals, and all of them open', async () => {
    const { connections } = world
    const before = await secrets(product.get(tokens.seal).open)
    const keys = [old, ...keptKeys(folder)().map(({ bytes }) => bytes.toString('base64'))]
    const settings = { ...connections.settings, credentialsKey: keys.join(), dataDir: testFolder() }
    // The running product, which other tests share, has this key alone.
    const given = build({ ...connections, settings })
    await reseal(connections, given)
    await until('the actors have theirs', async () => (await leftOver(connections, given)) === 0)
    expect(await secrets(world.product.get(tokens.seal).open)).to.deep.equal(before)
  })
})

/** Sealed under a key that is not the newest. */
function underKey(bytes: Buffer, { table, purpose }: SealedColumn, orgId: string, secret: unknown): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(
    Buffer.from(JSON.stringify([orgId, table, purpose])),
  )
  const text = Buffer.concat([cipher.update(JSON.stringify(secret), 'utf8'), cipher.final()])
  const key = sealKey(bytes.toString('base64'))
  return sealedUnder(key) + Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')
}
