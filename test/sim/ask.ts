/** Askers: each sends its command, again after silence, and reads what was written as soon as it is told it was. */
import { type Envelope, header, ingestSubject } from '#engine/actor/subject.ts'
import { asked, org } from '#test/sim/actors.ts'
import type { PlannedAsk } from '#test/sim/plan.ts'
import type { World } from '#test/sim/world.ts'

/** Milliseconds an asker waits in all, and after how many of silence it asks again. */
const waitMs = 4000
const againMs = 1200

interface Answer {
  ok: boolean
  value?: { count: number }
  fault?: { code: string }
}

export class Askers {
  /** Of each command by its `n`: every answer that came. */
  readonly answers = new Map<number, Answer[]>()
  pending = 0
  private readonly world: World

  constructor(world: World) {
    this.world = world
    world.broker.answered = (inbox, body) => this.answered(inbox, JSON.parse(body) as Answer)
  }

  start(): void {
    const { asks } = this.world.plan
    this.pending = asks.length
    for (const ask of asks) {
      this.ask(ask).then(
        () => this.pending--,
        (error: Error) => this.world.fail(error.message),
      )
    }
  }

  private async ask({ at, data }: PlannedAsk): Promise<void> {
    const { link, clock } = this.world.client()
    this.answers.set(data.n, [])
    await clock.sleep(at)
    const deadline = clock.now() + waitMs
    for (let i = 0; clock.now() < deadline && this.answers.get(data.n)!.length === 0; i++) {
      link('publish', () => this.publish(data, i, deadline)).catch(() => {})
      await clock.sleep(againMs)
    }
  }

  private publish(data: PlannedAsk['data'], i: number, deadline: number): void {
    const time = new Date(deadline - waitMs).toISOString()
    const id = `ask-${data.n}`
    const envelope: Envelope = { id, type: asked.name, schemaVersion: 1, orgId: org, time, data }
    this.world.broker.publish({
      subject: ingestSubject(asked.kind, org, data.place),
      id: `${id}#${i}`,
      headers: {
        [header.reply]: `${data.place}/${data.key}/${data.n}`,
        [header.deadline]: new Date(deadline).toISOString(),
      },
      body: JSON.stringify(envelope),
    })
  }

  /** An answer has come: what it says must be readable now, and be what every other answer says. */
  private answered(inbox: string, answer: Answer): void {
    const { world } = this
    const [place, key, n] = inbox.split('/')
    const answers = this.answers.get(Number(n))!
    answers.push(answer)
    world.trace(`answer to ${inbox}: ${JSON.stringify(answer)}`)
    const written = world.seenOf(`${place}/${key}`).includes(Number(n))
    if (answer.ok !== written) world.fail(`ask ${n} was told ok ${answer.ok}, but its effect there is ${written}`)
    if (JSON.stringify(answers[0]) !== JSON.stringify(answer)) world.fail(`ask ${n} got different answers`)
  }
}
