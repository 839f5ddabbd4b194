/** Whose question is asked next, where people want more than the engine does at once. */
import { setImmediate as soon } from 'node:timers/promises'
import { expect } from 'chai'
import type { Fault } from '#engine/value/fault.ts'
import { turnBounds } from '#config/analyst/gate.ts'
import { reportTurns, Turns } from '#config/wiring/turns.ts'

describe('turns of analysts', () => {
  let turns: Turns
  let working: string[]
  const ending = new Map<string, { free: () => void; end: () => void }>()
  const here = new AbortController().signal
  beforeEach(() => {
    ;[turns, working] = [new Turns(turnBounds), []]
    ending.clear()
  })

  /** Names are the organization, a number and the person, who is of that organization alone unless named. */
  const ask = async (name: string, gone = here): Promise<string> => {
    const how = await turns
      .take({ orgId: name[0]!, person: name[2] ?? name[0]! }, gone, (free) => {
        working.push(name)
        return new Promise<string>((end) => ending.set(name, { free, end: () => end('done') }))
      })
      .catch((error: Error) => error.message)
    working = working.filter((one) => one !== name)
    return how
  }
  const askAll = async (...names: string[]): Promise<void> => {
    for (const name of names) void ask(name)
    await soon()
  }
  const end = async (name: string): Promise<void> => {
    ending.get(name)!.end()
    await soon()
  }

  it('are two an organization, and a second one only where half of the engine is free', async () => {
    await askAll('a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'c2', 'd1', 'e1', 'f1', 'g1', 'h1')
    expect(working).to.deep.equal(['a1', 'a2', 'b1', 'b2', 'c1', 'd1', 'e1', 'f1'])
    await end('a1')
    expect(working).to.deep.equal(['a2', 'b1', 'b2', 'c1', 'd1', 'e1', 'f1', 'g1'])
    await end('b1')
    await end('d1')
    expect(working).to.deep.equal(['a2', 'b2', 'c1', 'e1', 'f1', 'g1', 'h1'])
    for (const name of ['e1', 'f1', 'g1', 'h1']) await end(name)
    expect(working).to.deep.equal(['a2', 'b2', 'c1', 'a3'])
  })

  it('go round: an organization with a long line has one, and then those who were served before it', async () => {
    await askAll('a1', 'b1', 'c1', 'd1', 'e1', 'f1', 'g1', 'h1', 'a2', 'a3', 'i1', 'i2')
    const next: string[] = []
    for (const name of ['b1', 'a1', 'c1', 'i1', 'a2']) {
      await end(name)
      next.push(working.at(-1)!)
    }
    expect(next).to.deep.equal(['i1', 'a2', 'a2', 'i2', 'a3'])
  })

  it('are held while their client is gone, for the engine works on; those that wait leave with it', async () => {
    const gone = new AbortController()
    const asked = [ask('a1', gone.signal), ask('a2', gone.signal), ask('a3', gone.signal)]
    await soon()
    gone.abort()
    expect(await asked[2]).to.equal('The client closed the connection.')
    await askAll('a4')
    expect(working).to.deep.equal(['a1', 'a2'])
    await end('a1')
    expect(working).to.deep.equal(['a2', 'a4'])
    expect(await ask('a5', gone.signal)).to.equal('The client closed the connection.')
  })

  it('leave the engine to others once it has answered, while a slow client reads', async () => {
    await askAll('a1', 'b1', 'c1', 'd1', 'e1', 'f1', 'g1', 'h1', 'i1')
    ending.get('a1')!.free()
    await soon()
    expect(working.at(-1)).to.equal('i1')
    ending.get('a1')!.free()
    await askAll('j1')
    expect(working).to.not.include('j1')
    await end('a1')
    expect(working).to.not.include('j1')
    await end('b1')
    expect(working).to.include('j1')
  })

  it('are those of a person over all their organizations: who has ten gets no more than who has one [G-125]', async () => {
    await askAll('a1p', 'b1p', 'c1p', 'd1p', 'e1p', 'f1p', 'g1p', 'h1p', 'i1p', 'j1p')
    expect(working).to.deep.equal(['a1p', 'b1p'])
    await askAll('k1q', 'l1r', 'm1s', 'n1t', 'o1u', 'o2v', 'u1w')
    expect(working).to.deep.equal(['a1p', 'b1p', 'k1q', 'l1r', 'm1s', 'n1t', 'o1u', 'u1w'])
    for (const name of ['k1q', 'l1r', 'm1s', 'n1t']) await end(name)
    expect(working).to.deep.equal(['a1p', 'b1p', 'o1u', 'u1w'])
    await end('u1w')
    expect(working).to.deep.equal(['a1p', 'b1p', 'o1u', 'o2v'])
    await end('a1p')
    expect(working).to.deep.equal(['b1p', 'o1u', 'o2v', 'c1p'])
  })

  it('are refused to a person with fifty that wait, and to nobody else [G-125]', async () => {
    const names = Array.from({ length: 52 }, (_, i) => `${String.fromCharCode(200 + i)}1p`)
    await askAll(...names)
    expect(await ask('z1p')).to.equal('Code: 202. DB::Exception: Too many of your queries are waiting.')
    await askAll('z2q')
    expect(working).to.deep.equal([names[0], names[1], 'z2q'])
  })
})

describe('turns of reports', () => {
  const counting = async function* (name: string, log: string[]) {
    log.push(`${name} begins`)
    try {
      yield 1
      yield 2
    } finally {
      log.push(`${name} ends`)
    }
  }

  it('leave three of ten to those who ask nothing yet, however many organizations a person has [G-125]', async () => {
    const { answers } = reportTurns(10)
    const working: string[] = []
    const ask = (orgId: string, person: string) =>
      void answers.take({ orgId, person }, undefined, () => (working.push(person), new Promise(() => {})))
    for (let nth = 0; nth < 137; nth++) ask(`org ${nth}`, 'eve')
    for (const person of ['ann', 'ben', 'cyd', 'dan']) ask(`of ${person}`, person)
    await soon()
    expect(working).to.deep.equal([...Array<string>(7).fill('eve'), 'ann', 'ben', 'cyd'])
  })

  it('of answers read row by row are three of a person, held until the last row or until nobody reads on [G-125]', async () => {
    const { rows } = reportTurns(10)
    const log: string[] = []
    const all = async (name: string) => {
      for await (const _ of rows.hold({ orgId: 'o', person: 'eve' }, () => counting(name, log)));
    }
    const open = ['a', 'b', 'c'].map((name) => rows.hold({ orgId: 'o', person: 'eve' }, () => counting(name, log)))
    for (const one of open) await one.next()
    const waiting = all('d')
    await soon()
    expect(log).to.deep.equal(['a begins', 'b begins', 'c begins'])
    await open[1]!.return()
    await waiting
    expect(log.slice(3)).to.deep.equal(['b ends', 'd begins', 'd ends'])
  })

  it('are refused to a person with fifty readings that wait [G-125]', async () => {
    const { rows } = reportTurns(10)
    const begin = () => rows.hold({ orgId: 'o', person: 'eve' }, () => counting('x', [])).next()
    for (let nth = 0; nth < 53; nth++) void begin()
    const told = await begin().then(
      () => 'begun',
      (error: Fault) => error.code,
    )
    expect(told).to.equal('unavailable')
  })
})
