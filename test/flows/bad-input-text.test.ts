import { expect } from 'chai'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { exampleIds as policyIds } from '#http/autoscaling/example.ts'
import { exampleIds as planIds } from '#http/readiness/example.ts'
import { exampleIds as deploymentIds } from '#http/source/example.ts'
import { plantedPlan, plantedPolicies } from '#test/harness/autoscaler-row.ts'
import { orders } from '#test/harness/place.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'
import {
  bodyPlaces,
  bodyRoutes,
  isText,
  otherTypes,
  outOfBounds,
  parameters,
  withValue,
  type Bounded,
} from '#test/harness/route-input.ts'
import { plantedDeployment } from '#test/harness/source.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

/** Milliseconds for what a matcher that backtracks would need minutes for; the machine may be busy. */
const promptMs = 5000

const texts = parameters.filter(isText)

/** What there is not is not found. */
const lookedUp = ['metric', 'cloud_account_id', 'target_uid']

describe('texts at the edge', () => {
  let org: Tenant
  let person: Tenant
  before(async () => {
    org = await tenant()
    person = await org.signedIn()
    await org.send('POST', '/unit-metrics', orders)
    const at = { cloudAccountId: 'acct-1', provider: 'aws' as const, region: 'us-east-1', type: 'aws-ec2' }
    await org.publish(
      resourceDiscovered,
      ['a'.repeat(1000), `${'ab'.repeat(500)}!`, '%'.repeat(200), '\\'.repeat(200)].map((name, i) => ({
        ...at,
        resourceUid: `i-${i}`,
        name,
      })),
    )
  })
  const named = ({ body }: Answer) => (body?.errors ?? []).map((e: any) => `${e.name} ${e.code}`) as string[]
  const path = (template: string) => template.replaceAll(/:\w+/g, 'acct-1')
  /** Whether the answer came in time. A slow machine must fail nothing in `npm test`: there the limit of each test stands. */
  const isPrompt = (began: number) => !isDeep || performance.now() - began < promptMs

  deepIt('are bounded in every body, and one character or element more is refused by name [LIM-05]', async () => {
    const odd: string[] = []
    let tried = 0
    for (const { method, path: template, body } of bodyRoutes) {
      for (const { pointer, bodyOf, schema } of bodyPlaces(body as Bounded)) {
        const isList = schema.type === 'array'
        const max = isList ? schema.maxItems : schema.maxLength
        if (max === undefined) odd.push(`${method} ${template} ${pointer} has no bound`)
        const given = outOfBounds(schema, max!)
        for (const [value, code] of given) {
          const answer = await person.send(method, path(template), bodyOf(value))
          tried++
          const isTold = answer.status === 400 && named(answer).includes(`${pointer} ${code}`)
          if (!isTold) odd.push(`${method} ${template} ${pointer} ${code}: ${answer.status} ${named(answer).join()}`)
        }
      }
    }
    expect(odd).to.deep.equal([])
    expect(tried).to.be.above(15)
  })

  deepIt(
    'are refused in every body where a value of another kind stands, and the other way round [LIM-05]',
    async () => {
      const odd: string[] = []
      for (const { method, path: template, body } of bodyRoutes) {
        for (const place of bodyPlaces(body as Bounded)) {
          const { pointer, bodyOf } = place
          for (const value of otherTypes(place)) {
            const answer = await person.send(method, path(template), bodyOf(value))
            const isTold = answer.status === 400 && named(answer).some((error) => error.startsWith(`${pointer} `))
            // Hosts number their installations: a number is as good as its digits.
            const isTaken = pointer === '/installationID' && value === 5
            if (!isTold && !isTaken)
              odd.push(`${method} ${template} ${pointer} ${JSON.stringify(value)}: ${answer.status}`)
          }
        }
      }
      expect(odd).to.deep.equal([])
    },
  )

  deepIt(
    'of thousands of characters and of thousands of values are taken or refused in every query, at once',
    async () => {
      expect(texts.length).to.be.above(30)
      const odd: string[] = []
      const all = ['x'.repeat(12_000), 'x,'.repeat(4000), '\u{1f600}'.repeat(1000)]
      for (const [n, parameter] of texts.entries()) {
        // Parameters of one name are read by one piece of code: between them they get all values.
        const values = parameter.base.startsWith('/reports') ? [all[n % all.length]!] : all
        const tried = values.map(async (value) => {
          const began = performance.now()
          const { status, body } = await org.send(parameter.route.method, withValue(parameter, value))
          // A metric, an account and a target are looked up by what is given.
          const isUnknown = status === 404 && lookedUp.includes(parameter.name)
          const isTooLittle = status === 422 && body.code === 'history_too_short'
          // What is sent along comes behind what is asked.
          const isSent = status === 415 && parameter.route.method === 'POST'
          const isRight =
            status === 200 ||
            isSent ||
            isUnknown ||
            isTooLittle ||
            (status === 400 && body.code === 'validation_failed')
          if (!isRight || !isPrompt(began))
            odd.push(`${withValue(parameter, value).slice(0, 80)}: ${status} after ${performance.now() - began} ms`)
        })
        await Promise.all(tried)
      }
      expect(odd).to.deep.equal([])
    },
  )

  it('that make a matcher backtrack are searched for as they are, at once [RES-10]', async () => {
    const search = async (text: string) => {
      const began = performance.now()
      const { status, body } = await org.get(`/resources?search=${encodeURIComponent(text)}`)
      expect(isPrompt(began), text.slice(0, 20)).to.equal(true)
      expect(status, text.slice(0, 20)).to.equal(200)
      return body.data.map((r: any) => r.uid)
    }
    expect(await search('a'.repeat(1000))).to.deep.equal(['i-0'])
    expect(await search('%'.repeat(200))).to.deep.equal(['i-2'])
    expect(await search('\\'.repeat(200))).to.deep.equal(['i-3'])
    for (const text of [
      '(a+)+$',
      '(a|a)*b',
      `${'%a'.repeat(500)}!`,
      '_'.repeat(1001),
      `${'*a'.repeat(500)}b`,
      '.*.*.*x',
    ])
      expect(await search(text), text.slice(0, 20)).to.deep.equal([])
  })

  deepIt('do not make a page that lies far behind the last one a long one [LIM-02]', async () => {
    const paged = parameters.filter(({ name }) => name === 'page')
    expect(paged.length).to.be.above(2)
    await plantedPolicies(org, { policy_id: policyIds.policy })
    await plantedPlan(org, planIds.plan)
    await plantedDeployment(org, { id: deploymentIds.deployment })
    for (const parameter of paged) {
      const began = performance.now()
      const { status, body } = await org.get(`${withValue(parameter, '1000000000')}&limit=100`)
      expect(status, parameter.base).to.equal(200)
      const data = body.data ?? body
      const items = Array.isArray(data) ? data : (data.items ?? data.resources)
      expect(items, parameter.base).to.deep.equal([])
      expect(isPrompt(began), parameter.base).to.equal(true)
    }
  })
})
