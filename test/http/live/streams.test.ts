import { connect, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import type { SentSignal } from '#engine/actor/turn.ts'
import { edge } from '#http/edge/edge.ts'
import { serve } from '#http/edge/serve.ts'
import type { Listener } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { LiveEnd } from '#http/live/measure.ts'
import { live } from '#http/live/routes.ts'
import { LiveStreams, streamsMax } from '#http/live/streams.ts'
import type { StreamTimes } from '#http/live/stream.ts'
import { costsTold } from '#streams/live/event-batch.ts'
import { until } from '#test/harness/toy.ts'
import { amount } from '#test/harness/tier.ts'
import { caller, scopeOf } from '#test/http/serving.ts'

const hourMs = 3_600_000
const quick: StreamTimes = { beatMs: hourMs, pauseMs: 1, stuckMs: hourMs, teamsMs: hourMs }

/** Streams of a source that the test speaks for. */
function world(times: Partial<StreamTimes> = {}) {
  const heard = new Map<string, (told: readonly SentSignal[]) => void>()
  const ends: LiveEnd[] = []
  const counts = { open: 0, merged: 0 }
  const told: string[] = []
  const streams = new LiveStreams({
    source: (orgId, hear) => {
      heard.set(orgId, hear)
      return { heard: Promise.resolve(), leave: () => void heard.delete(orgId) }
    },
    meter: {
      open: (count) => (counts.open = count),
      told: (event) => told.push(event),
      merged: (count) => (counts.merged += count),
      ended: (why) => ends.push(why),
    },
    now: () => Date.now(),
    times: { ...quick, ...times },
  })
  const open = (who: Partial<Caller> = {}, listener: Partial<Listener> = {}): Promise<Readable> => {
    const own = { ...caller(), ...who }
    return streams.open({ caller: own, again: async () => own, teamAccounts: async () => [], ...listener })
  }
  const tell = (...all: SentSignal[]) => heard.get('o1')?.(all)
  return { streams, open, tell, heard, ends, counts, told }
}

/** What the stream says from now on. */
function read(body: Readable): { text: string; isOver: boolean } {
  const said = { text: '', isOver: false }
  body.setEncoding('utf8')
  body.on('data', (text: string) => (said.text += text))
  body.on('close', () => (said.isOver = true))
  return said
}

const beginning = 'retry: 1000\n\nevent: ready\ndata: {}\n\n'
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'open',
    (error: unknown) => `${Fault.from(error).kind} ${Fault.from(error).code}`,
  )

describe('streams of events', () => {
  it('tell at once, then together what came within the pause, days and accounts sorted', async () => {
    const { open, tell, counts } = world({ pauseMs: 50 })
    const said = read(await open())
    tell(costsTold('b', ['2026-01-02']))
    tell(costsTold('b', ['2026-01-03', '2026-01-01']))
    tell(costsTold('a', ['2026-01-01']))
    await until('both', () => said.text.includes('2026-01-03'))
    const of = (days: string[], ids: string[]) =>
      `event: costs.changed\ndata: ${JSON.stringify({ days, cloudAccountIDs: ids })}\n\n`
    const second = of(['2026-01-01', '2026-01-03'], ['a', 'b'])
    expect(said.text).to.equal(`${beginning}${of(['2026-01-02'], ['b'])}${second}`)
    expect(counts.merged).to.equal(1)
  })

  it('send a comment with each beat', async () => {
    const { open } = world({ beatMs: 5 })
    const said = read(await open())
    await until('two beats', () => said.text.startsWith(`${beginning}:\n\n:\n\n`))
  })

  it('hold no more for a reader that takes nothing than their bounds, and cut him off', async () => {
    const { streams, open, tell, ends, counts } = world({ stuckMs: amount(1000, 2000, 2000) })
    const services = { listen: (listener: Listener) => streams.open(listener) }
    const serving = await serve(edge(live, scopeOf(services as never)), { port: 0, host: '127.0.0.1' })
    const other = read(await open())
    const socket: Socket = connect(serving.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.pause()
    socket.write('GET /events/stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await until('the stream', () => counts.open === 2)
    const accounts = Array.from({ length: 400 }, (_, n) => `${n}-${'x'.repeat(1_000)}`)
    let rounds = 0
    await until('the end', () => {
      rounds++
      tell(...accounts.map((id) => costsTold(id, ['2026-01-01'])))
      return ends.length > 0
    })
    expect(ends).to.deep.equal(['slow'])
    expect(counts).to.include({ open: 1 })
    expect(counts.merged).to.be.above(400 * (rounds / 4))
    expect(other.isOver).to.equal(false)
    socket.destroy()
    await streams.close()
    await serving.close()
  })

  it('are 50 an organization and 2,000 a process', async () => {
    const { streams, open, counts } = world()
    const all: Readable[] = []
    for (let n = 0; n < streamsMax.process; n++)
      all.push(await open({ orgId: `o-${Math.floor(n / 50)}`, userId: `u-${n % 40}` }))
    expect(await codeOf(open({ orgId: 'o-0' }))).to.equal('invalid too_many_streams')
    expect(await codeOf(open({ orgId: 'o-new' }))).to.equal('transient unavailable')
    all[0]!.destroy()
    await until('room', () => counts.open === streamsMax.process - 1)
    expect(await codeOf(open({ orgId: 'o-0' }))).to.equal('open')
    await streams.close()
    expect(counts.open).to.equal(0)
  })

  it('are 50 a person, over all organizations [G-125]', async () => {
    const { streams, open, counts } = world()
    const all: Readable[] = []
    for (let n = 0; n < 50; n++) all.push(await open({ orgId: `o-${n}`, userId: 'eve' }))
    expect(await codeOf(open({ orgId: 'o-new', userId: 'eve' }))).to.equal('invalid too_many_streams')
    expect(await codeOf(open({ orgId: 'o-0', userId: 'ben' }))).to.equal('open')
    all[7]!.destroy()
    await until('room', () => counts.open === 50)
    expect(await codeOf(open({ orgId: 'o-new', userId: 'eve' }))).to.equal('open')
    await streams.close()
  })

  it('leave the source with the last who listens', async () => {
    const { open, heard } = world()
    const both = [await open(), await open()]
    both[0]!.destroy()
    await until('one', () => both[0]!.closed)
    expect([...heard.keys()]).to.deep.equal(['o1'])
    both[1]!.destroy()
    await until('none', () => heard.size === 0)
  })

  it('end with the token, although the store is away that would say so; until then they stay', async () => {
    const away = async () => {
      throw Fault.transient('unavailable', 'away')
    }
    const { open, ends } = world({ beatMs: 10 })
    const lasting = read(await open({}, { again: away }))
    const brief = read(await open({ expiresAt: new Date(Date.now() + 150) }, { again: away }))
    await until('the end', () => brief.isOver)
    expect([ends, lasting.isOver]).to.deep.equal([['refused'], false])
  })

  it('end at the next beat of one who may not listen any more', async () => {
    const { open, ends } = world({ beatMs: 10 })
    let isMember = true
    const own = caller()
    const again = async () => {
      if (isMember) return own
      throw Fault.forbidden('not_a_member', 'no')
    }
    const said = read(await open({}, { again }))
    await until('some beats', () => said.text.includes(':\n\n:\n\n'))
    isMember = false
    await until('the end', () => said.isOver)
    expect(ends).to.deep.equal(['refused'])
  })

  it('look at once at those whose rights have changed, and at no others', async () => {
    const { streams, open } = world()
    const asked: string[] = []
    const one = async (userId: string, principal: string, orgId = 'o1') => {
      const own = { ...caller(), userId, principal, orgId }
      await open(own, { again: async () => (asked.push(`${userId} ${principal}`), own) })
    }
    await one('ana', 'session:s1')
    await one('ben', 'pat:t1')
    await one('cid', 'session:s2', 'o2')
    for (const changed of [
      { sessionId: 's1' },
      { tokenId: 't1' },
      { userId: 'cid' },
      { orgId: 'o2' },
      { userId: 'x' },
    ]) {
      streams.look(changed)
      await new Promise(setImmediate)
    }
    expect(asked).to.deep.equal(['ana session:s1', 'ben pat:t1', 'cid session:s2', 'cid session:s2'])
    await streams.close()
  })

  it('end when the process stops, whether their readers take anything or not, and open no more', async () => {
    const { streams, open, ends } = world()
    const said = read(await open())
    await open()
    await streams.close()
    expect([said, ends]).to.deep.equal([{ text: beginning, isOver: true }, ['stopped', 'stopped']])
    expect(await codeOf(open())).to.equal('transient unavailable')
  })
})
