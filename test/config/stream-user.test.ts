/**
 * Who may do what on NATS, tried with a client that knows no more than its own address: on the embedded server and on one
 * that runs with the configuration for Kubernetes.
 */
import { AckPolicy, jetstream, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { connect, headers, type NatsConnection } from '@nats-io/transport-node'
import { expect } from 'chai'
import { inboxPrefix } from '#engine/actor/subject.ts'
import { NatsLog } from '#engine/store/nats/nats.ts'
import { natsServers } from '#config/state/connect.ts'
import { newPassword, streamDomain, userAccountsText } from '#config/embedded/nats-accounts.ts'
import { isStreamUserName, rightsOf, streamUserKinds, type StreamUserKind } from '#streams/stream-user.ts'
import { embedded, lanes, shipped, type NatsUnderTest } from '#test/harness/nats.ts'
import { natsAt } from '#test/harness/stores.ts'
import { amount } from '#test/harness/tier.ts'
import { until } from '#test/harness/toy.ts'

interface User {
  id: string
  kind: StreamUserKind
  orgId: string | null
  password: string
  hash: string
}

const userOf = (kind: StreamUserKind, orgId: string | null, n: number): User => ({
  id: `${kind}-00000000000${n}`,
  kind,
  orgId,
  ...newPassword(),
})

for (const [name, start] of Object.entries({ 'the embedded server': embedded, 'the shipped configuration': shipped })) {
  describe(`users of NATS, on ${name}`, () => {
    const users = {
      a: userOf('producer', 'org-a', 1),
      b: userOf('producer', 'org-b', 2),
      reader: userOf('consumer', 'org-a', 3),
      executor: userOf('executor', null, 4),
      builder: userOf('builder', null, 5),
    }
    let server: NatsUnderTest
    let service: NatsConnection
    let manager: JetStreamManager
    const opened: NatsConnection[] = []

    before(async function () {
      this.timeout(180_000)
      server = await start()
      service = await connect(natsAt(server.url))
      opened.push(service)
      manager = await jetstreamManager(service)
      const log = await NatsLog.open(service)
      await log.createStreams(lanes, { laneBytesMax: 2 ** 26 })
      const consumers = Object.values(users).flatMap((user) => {
        const { consumer } = rightsOf(user)
        return consumer ? [{ ...consumer, name: user.id, fromBeginning: true }] : []
      })
      await log.keepConsumers(consumers, isStreamUserName)
      await server.setUsers(userAccountsText(Object.values(users)))
    })
    after(async () => {
      for (const connection of opened) await connection.close().catch(() => {})
      await server.stop()
    })

    async function as({ id, password }: Pick<User, 'id' | 'password'>): Promise<NatsConnection> {
      const { servers } = natsServers(server.url)
      const connection = await connect({ servers, user: id, pass: password, reconnect: false })
      opened.push(connection)
      return connection
    }

    /** What comes of publishing: the stream it is in, or that it was refused. */
    const publishes = (connection: NatsConnection, subject: string, timeout = 500): Promise<string> =>
      jetstream(connection, { timeout })
        .publish(subject, '{}')
        .then(
          ({ stream }) => stream,
          () => 'refused',
        )
    /** The same of what is to be taken, however busy the server is. */
    const taken = (connection: NatsConnection, subject: string) => publishes(connection, subject, 10_000)

    /** What comes of listening while the service publishes there. */
    async function hears(connection: NatsConnection, filter: string, published: string): Promise<string> {
      let refusal = ''
      const heard: string[] = []
      const listening = connection.subscribe(filter, {
        callback: (error, message) => void (error ? (refusal = 'refused') : heard.push(message.subject)),
      })
      await connection.flush()
      service.publish(published, 'x')
      await service.flush()
      await connection.flush()
      if (!listening.isClosed()) listening.unsubscribe()
      return refusal || heard.join(' ')
    }

    it('lets nobody in without a user, with a wrong password, or with the hash that the server keeps', async () => {
      const { servers } = natsServers(server.url)
      const { a } = users
      for (const known of [{}, { user: a.id, pass: 'x' }, { user: a.id, pass: a.hash }, { user: 'tidemark', pass: '' }])
        await connect({ servers, ...known, reconnect: false }).then(
          () => expect.fail(JSON.stringify(known)),
          (error: Error) => expect(error.message).to.match(/authoriz|authentic/i),
        )
    })

    it("lets a producer publish what is its organization's, and nothing else", async () => {
      const a = await as(users.a)
      for (const kind of ['resource', 'metric', 'billing', 'control'])
        expect(await taken(a, `ingest.${kind}.org-a.acct`), kind).to.match(/^LANE-\d+$/)
      const refused = [
        'ingest.billing.org-b.acct',
        'ingest.actor.org-a.-',
        'ingest.probe.org-a.acct',
        'ingest.billing.org-a',
        'ingest.billing.org-a.acct.more',
        'lane.3.billing.org-a.acct',
        'lane.3.actor.org-a.-',
        'event.cost.org-a.x',
        'dead.billing.org-a',
        'exec.intent.org-a.k',
        'exec.result.org-a.k',
        'build.job.d',
        'service.users',
        'tidemark.live.org.org-a',
        'tidemark.live.org.org-b',
        'tidemark.live.missed',
        'tidemark.identity.changed',
        '$SYS.REQ.SERVER.PING',
      ]
      for (const subject of refused) expect(await publishes(a, subject), subject).to.equal('refused')
    })

    it('lets a producer hear its own acknowledgements alone', async () => {
      const a = await as(users.a)
      const b = await as(users.b)
      const heard: string[] = []
      for (const inbox of ['_INBOX.>', `_INBOX_${users.b.id}.>`])
        b.subscribe(inbox, { callback: (_, { subject }) => void heard.push(subject) })
      await b.flush()
      expect(await taken(a, 'ingest.billing.org-a.acct')).to.match(/^LANE/)
      await service.request('ingest.billing.org-a.acct', '{}')
      await b.flush()
      expect(heard).to.deep.equal([])
      const others = [
        '>',
        '*',
        'ingest.>',
        'lane.>',
        'event.>',
        'dead.>',
        'tidemark.>',
        'tidemark.live.org.org-b',
        `${inboxPrefix}.>`,
        '$JS.>',
        '$SYS.>',
        '_R_.>',
      ]
      for (const filter of others) expect(await hears(b, filter, 'event.cost.org-b.x'), filter).to.equal('refused')
    })

    it("lets a producer reach no stream, consumer or message, by none of the server's requests", async () => {
      const a = await as(users.a)
      const requests = [
        'STREAM.LIST',
        'STREAM.NAMES',
        'STREAM.INFO.LANE-0',
        'STREAM.PURGE.LANE-0',
        'STREAM.DELETE.LANE-0',
      ]
      const more = [
        'STREAM.MSG.GET.EVENTS',
        'DIRECT.GET.EVENTS',
        'CONSUMER.CREATE.LANE-0',
        'CONSUMER.LIST.EVENTS',
        'INFO',
      ]
      for (const request of [...requests, ...more])
        for (const prefix of ['$JS.API', `$JS.${streamDomain}.API`]) {
          const answer = await a.request(`${prefix}.${request}`, '', { timeout: 300 }).then(
            (message) => message.json<{ error?: { description: string } }>().error?.description ?? 'answered',
            () => 'refused',
          )
          expect(answer, `${prefix}.${request}`).to.equal('refused')
        }
    })

    it('takes no subject of others from a producer as the place of its answer', async () => {
      const a = await as(users.a)
      for (let i = 0; i < 5; i++) await service.request('ingest.billing.org-b.acct', `{"n":${i}}`)
      // Behind what other tests have published without waiting.
      for (const subject of ['event.x.org-z.y', 'dead.x.org-z', 'build.x.y']) await service.request(subject, '')
      const sums = async () => {
        const all: [string, number, number][] = []
        for await (const { config, state } of manager.streams.list())
          all.push([config.name, state.first_seq, state.last_seq])
        return all.toSorted(([x], [y]) => (x < y ? -1 : 1))
      }
      const before = await sums()
      const [lane = ''] = (await service.request('ingest.billing.org-b.acct', '{}'))
        .json<{ stream: string }>()
        .stream.split(' ')
      const replies = [
        `$JS.API.STREAM.PURGE.${lane}`,
        `$JS.API.STREAM.DELETE.${lane}`,
        `lane.${lane.slice(5)}.actor.org-b.-`,
        'ingest.actor.org-b.-',
        'ingest.billing.org-b.acct',
        'event.cost.org-b.x',
        'service.users',
        '_R_.x',
        '$JS.ACK.EVENTS.c.1.1.1.1.1',
      ]
      for (const reply of replies) a.publish('ingest.billing.org-a.acct', 'x', { reply })
      // Once this is taken, all before it in the lane are stored and answered; and then one more in each stream, behind what came of that.
      await taken(a, 'ingest.billing.org-a.acct')
      const asked = new Set<string>()
      for (const subject of ['event.x.org-z.y', 'dead.x.org-z', 'build.x.y', 'ingest.billing.org-b.acct'])
        asked.add((await service.request(subject, '{}')).json<{ stream: string }>().stream)
      const after = await sums()
      const grown = after.filter(
        ([name, , last], i) => last - before[i]![2] !== Number(asked.has(name)) && name !== lane,
      )
      // What it published itself is in its own lane; nothing went anywhere else, and nothing is gone.
      const own = (await service.request('ingest.billing.org-a.acct', '{}')).json<{ stream: string }>().stream
      expect(grown.map(([name]) => name).filter((name) => name !== own)).to.deep.equal([])
      expect(after.map(([name, first]) => [name, first])).to.deep.equal(before.map(([name, first]) => [name, first]))
      const { state } = await manager.streams.info(lane, { subjects_filter: `lane.*.*.org-b.>` })
      expect(state.subjects).to.deep.equal({ [`lane.${lane.slice(5)}.billing.org-b.acct`]: 7 })
    })

    it('never drops a message because another organization has used its id', async () => {
      const [a, b] = [await as(users.a), await as(users.b)]
      // A place of organization b in the lane of an account of a.
      const laneOf = async (connection: NatsConnection, subject: string) => taken(connection, subject)
      const wanted = await laneOf(a, 'ingest.billing.org-a.acct')
      let place = 0
      while ((await laneOf(b, `ingest.billing.org-b.p${place}`)) !== wanted) place++
      // Silencing takes the same id in the same tenth of a second, from one that bears one: none is needed, or asked for.
      const attack = headers()
      attack.set('Nats-Msg-Id', 'bill-1')
      const said = async (connection: NatsConnection, subject: string, given = headers()) =>
        (await connection.request(subject, '{"id":"bill-1"}', { headers: given, timeout: 2000 })).json<{
          duplicate?: boolean
        }>()
      for (let i = 0; i < amount(5, 20, 20); i++) {
        await said(b, `ingest.billing.org-b.p${place}`, attack)
        expect(await said(a, 'ingest.billing.org-a.acct')).not.to.have.property('duplicate')
      }
      await until('its id is free again', async () => {
        return !('duplicate' in (await said(a, 'ingest.billing.org-a.acct', attack)))
      })
      for (let lane = 0; lane < lanes; lane++)
        expect((await manager.streams.info(`LANE-${lane}`)).config.duplicate_window).to.equal(100_000_000)
    })

    it('gives a consumer the events and dead letters of its organization, live and from its own consumer', async () => {
      const reader = await as(users.reader)
      expect(await hears(reader, 'event.*.org-a.>', 'event.cost.org-a.told')).to.equal('event.cost.org-a.told')
      expect(await hears(reader, 'dead.*.org-a', 'dead.billing.org-a')).to.equal('dead.billing.org-a')
      for (const filter of [
        'event.*.org-b.>',
        'event.>',
        'dead.>',
        'dead.*.org-b',
        'exec.>',
        'lane.>',
        'ingest.>',
        'tidemark.live.org.org-a',
      ])
        expect(await hears(reader, filter, 'event.cost.org-b.told'), filter).to.equal('refused')
      await jetstream(service).publish('event.cost.org-b.late', 'b')
      await jetstream(service).publish('event.cost.org-a.late', 'a')
      const consumer = await jetstream(reader, { domain: streamDomain }).consumers.get('EVENTS', users.reader.id)
      const got: string[] = []
      for await (const message of await consumer.fetch({ max_messages: 2, expires: 20_000 })) {
        got.push(message.subject)
        expect(await message.ackAck()).to.equal(true)
      }
      expect(got).to.deep.equal(['event.cost.org-a.told', 'event.cost.org-a.late'])
      expect((await manager.consumers.info('EVENTS', users.reader.id)).num_ack_pending).to.equal(0)
      for (const subject of ['event.cost.org-a.x', 'ingest.billing.org-a.acct', 'dead.billing.org-a'])
        expect(await publishes(reader, subject), subject).to.equal('refused')
    })

    it("lets a consumer not name where its messages go, nor fetch from another's consumer, nor make one", async () => {
      const reader = await as(users.reader)
      await manager.consumers.add('EVENTS', { durable_name: 'foreign', ack_policy: AckPolicy.Explicit })
      const next = `$JS.${streamDomain}.API.CONSUMER.MSG.NEXT.EVENTS`
      const answered = (subject: string) =>
        reader.request(subject, '{"no_wait":true}', { timeout: 300 }).then(
          () => 'answered',
          () => 'refused',
        )
      expect(await answered(`${next}.foreign`)).to.equal('refused')
      expect(await answered(`$JS.${streamDomain}.API.CONSUMER.CREATE.EVENTS.mine`)).to.equal('refused')
      await jetstream(service).publish('event.cost.org-a.aim', 'a')
      const before = (await manager.streams.info('EVENTS')).state.last_seq
      reader.publish(`${next}.${users.reader.id}`, '{"batch":1}', { reply: 'event.cost.org-b.forged' })
      await reader.flush()
      // Its consumer has come to what is asked behind that.
      const consumer = await jetstream(reader, { domain: streamDomain }).consumers.get('EVENTS', users.reader.id)
      const message = await consumer.next({ expires: 20_000 })
      expect(message?.subject).to.equal('event.cost.org-a.aim')
      expect(await message?.ackAck()).to.equal(true)
      expect((await jetstream(service).publish('event.cost.org-a.behind', 'a')).seq).to.equal(before + 1)
      await manager.consumers.delete('EVENTS', 'foreign')
    })

    it('gives an executor what is to be executed, and takes what came of it', async () => {
      const executor = await as(users.executor)
      expect(await hears(executor, 'exec.intent.>', 'exec.intent.org-a.k')).to.equal('exec.intent.org-a.k')
      const consumer = await jetstream(executor, { domain: streamDomain }).consumers.get('EXEC', users.executor.id)
      const message = await consumer.next({ expires: 20_000 })
      expect(message?.subject).to.equal('exec.intent.org-a.k')
      expect(await message?.ackAck()).to.equal(true)
      // To the lane in which what it was of is told.
      const stream = await taken(executor, 'exec.result.org-a.k')
      expect(stream).to.match(/^LANE-/)
      expect(await taken(await as(users.a), 'ingest.billing.org-a.k')).to.equal(stream)
      for (const subject of ['exec.intent.org-a.k', 'ingest.control.org-a.k', 'build.job.d', 'event.x.org-a.y'])
        expect(await publishes(executor, subject), subject).to.equal('refused')
      for (const filter of ['build.>', 'event.>', 'exec.result.>', 'lane.>'])
        expect(await hears(executor, filter, 'exec.result.org-a.k'), filter).to.equal('refused')
    })

    it('gives a builder what is to be built, and takes nothing', async () => {
      const builder = await as(users.builder)
      expect(await hears(builder, 'build.job.>', 'build.job.d1')).to.equal('build.job.d1')
      const consumer = await jetstream(builder, { domain: streamDomain }).consumers.get('BUILD', users.builder.id)
      const message = await consumer.next({ expires: 20_000 })
      expect(message?.subject).to.equal('build.job.d1')
      expect(await message?.ackAck()).to.equal(true)
      for (const subject of ['build.job.d1', 'build.x', 'exec.result.org-a.k', 'ingest.billing.org-a.acct'])
        expect(await publishes(builder, subject), subject).to.equal('refused')
      for (const filter of ['exec.>', 'event.>', 'lane.>'])
        expect(await hears(builder, filter, 'exec.intent.org-a.k'), filter).to.equal('refused')
    })

    it('cuts a user off at once, lets new ones in, and keeps the connections of all others', async () => {
      const [a, b] = [await as(users.a), await as(users.b)]
      const late = userOf('producer', 'org-c', 9)
      const { a: _, ...others } = users
      await server.setUsers(userAccountsText([...Object.values(others), late]))
      await a.closed()
      await as(users.a).then(
        () => expect.fail('let in'),
        (error: Error) => expect(error.message).to.match(/authoriz|authentic/i),
      )
      // Reading its accounts anew, the server has no streams for a moment.
      const isTaken = async (by: NatsConnection, subject: string) => (await publishes(by, subject)).startsWith('LANE-')
      await until('others are heard', () => isTaken(b, 'ingest.billing.org-b.acct'))
      const c = await as(late)
      await until('the new one is heard', () => isTaken(c, 'ingest.billing.org-c.acct'))
      expect(service.isClosed()).to.equal(false)
    })

    it('takes the consumer of one that is gone, makes what is missing, and leaves those of the operator', async () => {
      const { consumer } = rightsOf(users.reader)
      const gone = { ...consumer!, name: 'consumer-0000000000ff', fromBeginning: false }
      const log = await NatsLog.open(service)
      const kept = { ...consumer!, name: users.reader.id, fromBeginning: false }
      await log.keepConsumers([kept, gone], isStreamUserName)
      await manager.consumers.add('EVENTS', { durable_name: 'audit', ack_policy: AckPolicy.Explicit })
      await log.keepConsumers([kept], isStreamUserName)
      const names: string[] = []
      for await (const { name } of manager.consumers.list('EVENTS')) names.push(name)
      expect(names.toSorted()).to.deep.equal(['audit', users.reader.id])
    })

    it('keeps consumers while the server reads its accounts anew, which takes its streams away for a moment', async () => {
      const { consumer } = rightsOf(users.reader)
      for (let n = 0; n < amount(4, 10, 10); n++) {
        const name = `consumer-00000000000${n}`
        const accounts = userAccountsText([...Object.values(users), userOf('producer', `org-${n}`, 8)])
        const kept = NatsLog.open(service).then((log) =>
          log.keepConsumers([{ ...consumer!, name, fromBeginning: false }], isStreamUserName),
        )
        await Promise.all([server.setUsers(accounts), kept])
        const { config } = await (await jetstreamManager(service)).consumers.info('EVENTS', name)
        expect(config.filter_subject).to.equal(consumer!.filter)
      }
    })

    it('takes new users while others fail to sign in, whose errors are not its own', async () => {
      const strangers = { servers: natsServers(server.url).servers, reconnect: false }
      let isOver = false
      const failing = (async () => {
        while (!isOver) await connect(strangers).catch(() => {})
      })()
      for (let n = 0; n < amount(3, 6, 6); n++)
        await server.setUsers(userAccountsText([...Object.values(users), userOf('producer', `org-late-${n}`, 7)]))
      isOver = true
      await failing
    })

    it('knows every kind of user', () => {
      expect([...new Set(Object.values(users).map(({ kind }) => kind))]).to.have.members([...streamUserKinds])
    })
  })
}
