/** The embedded ClickHouse on folders that were there before, and on ones whose path no socket takes. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createClient } from '@clickhouse/client'
import { expect } from 'chai'
import { reachable, socketOf } from '#config/embedded/clickhouse/address.ts'
import { startClickHouse } from '#config/embedded/clickhouse/clickhouse.ts'
import { root } from '#config/process/root.ts'
import { askAt } from '#test/harness/door.ts'
import { testFolder } from '#test/harness/stores.ts'

const [own, other] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
const log = () => {}

describe('the folder of the embedded ClickHouse', () => {
  it('of a version without policies opens with what it held, and with policies on it', async () => {
    const folder = path.join(testFolder(), 'clickhouse')
    mkdirSync(folder, { mode: 0o755 })
    writeFileSync(path.join(folder, 'server.xml'), '<clickhouse></clickhouse>')
    const before = `const { Session } = require('chdb')
      const session = new Session(${JSON.stringify(path.join(folder, 'data'))})
      session.query('CREATE DATABASE tidemark')
      session.query('CREATE TABLE tidemark.team_state (org_id String, name String) ENGINE = MergeTree ORDER BY org_id')
      session.query("INSERT INTO tidemark.team_state VALUES ('${own}', 'ours'), ('${other}', 'theirs')")
      session.query('CREATE DATABASE "org_${other}" ENGINE = Memory')
      session.close()`
    execFileSync(process.execPath, ['-e', before], { cwd: root })
    const server = await startClickHouse(folder, { log })
    try {
      expect(statSync(folder).mode & 0o777).to.equal(0o700)
      const client = createClient(reachable(server.url))
      const command = (query: string) => client.command({ query })
      const rows = async (query: string) => (await client.query({ query, format: 'JSONCompactEachRow' })).json()
      expect(await rows('SELECT name FROM team_state ORDER BY name')).to.deep.equal([['ours'], ['theirs']])
      expect(await rows("SELECT count() FROM system.databases WHERE name LIKE 'org%'")).to.deep.equal([[0]])
      await command(`CREATE DATABASE "org_${own}" ENGINE = Memory`)
      await command(`CREATE VIEW "org_${own}".t DEFINER = default SQL SECURITY DEFINER AS SELECT * FROM team_state`)
      await client.close()
      const asked = { path: '/analyst', params: { database: `org_${own}` } }
      const answer = await askAt(server.url, { ...asked, body: 'SELECT name FROM t' })
      expect(await answer.text()).to.equal('ours\n')
      const refused = await askAt(server.url, { ...asked, body: 'SELECT name FROM tidemark.team_state' })
      expect(await refused.text()).to.match(/^Code: 497\./)
    } finally {
      await server.stop()
    }
  })

  it('with a path too long for a socket has it in a folder of its own, which goes with it', async () => {
    const folder = path.join(testFolder(), 'x'.repeat(100), 'clickhouse')
    mkdirSync(folder, { recursive: true })
    // What a process that was killed left.
    const left = path.join(testFolder(), 'tidemark-left')
    mkdirSync(left)
    writeFileSync(path.join(folder, 'socket'), path.join(left, 'clickhouse.sock'))
    const server = await startClickHouse(folder, { log })
    const socket = socketOf(server.url)!
    expect(Buffer.byteLength(socket)).to.be.at.most(100)
    expect(readFileSync(path.join(folder, 'socket'), 'utf8')).to.equal(socket)
    expect([existsSync(left), statSync(path.dirname(socket)).mode & 0o777]).to.deep.equal([false, 0o700])
    expect(await (await askAt(server.url, { body: 'SELECT 1' })).text()).to.equal('1\n')
    await server.stop()
    expect(existsSync(path.dirname(socket))).to.equal(false)
  })
})
