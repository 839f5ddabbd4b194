import { expect } from 'chai'
import { phasesOf, windowOf, type ReadinessPlan } from '#http/console/web/view/events/labels.ts'
import { startJobDraft, changesOf, namedTwice, tagPlaces } from '#http/console/web/view/provisioning/draft.ts'
import { configOf, fieldsOf, valueFields } from '#http/console/web/view/provisioning/fields.ts'
import { startDraft, bodyOf } from '#http/console/web/view/scaling/draft.ts'

describe('the course of a plan', () => {
  const plan = {
    eventStart: '2030-11-29T14:00:00.000Z',
    eventEnd: '2030-11-29T18:00:00.000Z',
    preScaleMinutes: 30,
    postEventMinutes: 45,
  } as ReadinessPlan

  it('begins before the event and ends behind it', () => {
    expect(windowOf(plan)).to.deep.equal({ raisedAt: '2030-11-29T13:30:00.000Z', backAt: '2030-11-29T18:45:00.000Z' })
  })

  it('is before, during and after, by the time it is', () => {
    const at = (time: string) => phasesOf(plan, Date.parse(`2030-11-29T${time}Z`)).map(({ state }) => state)
    expect(at('13:29:59')).to.deep.equal(['to come', 'to come', 'to come'])
    expect(at('13:30:00')).to.deep.equal(['now', 'to come', 'to come'])
    expect(at('14:00:00')).to.deep.equal(['done', 'now', 'to come'])
    expect(at('18:44:59')).to.deep.equal(['done', 'done', 'now'])
    expect(at('18:45:00')).to.deep.equal(['done', 'done', 'done'])
  })
})

describe('a config that was typed', () => {
  it('has figures, flags and lists as the API takes them, and leaves what is wrong to it', () => {
    expect(configOf(fieldsOf.datastore, { multiAZ: 'true', allocatedStorageGB: 'much' })).to.deep.equal({
      engine: 'postgres',
      version: '16.3',
      instanceClass: 'db.m5.large',
      allocatedStorageGB: 'much',
      multiAZ: true,
      backupRetentionDays: 7,
    })
    const pool = { name: 'workers', listenerPorts: [{ '': '80' }, { '': 'x' }] }
    expect(configOf(fieldsOf.vm_pool, pool)).to.deep.equal({
      name: 'workers',
      instanceType: 'm5.large',
      min: 2,
      max: 4,
      createLoadBalancer: false,
      listenerPorts: [80, 'x'],
    })
  })

  it('has its rows as objects, without what is left out of one', () => {
    const subnets = [
      { name: 'a', cidr: '10.20.0.0/24', zone: '', public: 'true' },
      { name: 'b', cidr: '', zone: 'us-east-1b', public: 'false' },
    ]
    expect(configOf(fieldsOf.network, { name: 'shop', subnets })).to.deep.equal({
      name: 'shop',
      cidr: '10.20.0.0/16',
      subnets: [
        { name: 'a', cidr: '10.20.0.0/24', public: true },
        { name: 'b', cidr: '', zone: 'us-east-1b', public: false },
      ],
    })
  })

  it('of a component is by its own schema', () => {
    const schema = {
      type: 'object',
      properties: {
        replicas: { type: 'integer', default: 2, description: 'how many' },
        scheme: { enum: ['public', 'internal'], default: 'public' },
        acmeEmail: { type: 'string' },
      },
    }
    const fields = valueFields(schema)
    expect(fields.map(({ name, type, first }) => [name, type, first])).to.deep.equal([
      ['replicas', 'number', '2'],
      ['scheme', 'choice', 'public'],
      ['acmeEmail', 'text', ''],
    ])
    expect(configOf(fields, { scheme: 'internal' })).to.deep.equal({ replicas: 2, scheme: 'internal' })
  })
})

describe('changes of a job', () => {
  const job = { name: 'Shop', tags: { team: 'shop', env: 'prod' }, expiresAt: '2030-05-06T17:30:00.000Z' }
  const draft = startJobDraft(job)

  it('are none of what was not touched, in whichever order tags stand', () => {
    expect(changesOf(job, draft)).to.deep.equal({})
    expect(changesOf(job, { ...draft, tags: [...draft.tags].toReversed() })).to.deep.equal({})
  })

  it('are what differs: an end that is taken away is null, rows without a word are no tags', () => {
    const tags = [
      { name: 'env', value: 'test' },
      { name: '', value: ' ' },
    ]
    expect(changesOf(job, { name: 'Shop 2', tags, end: '' })).to.deep.equal({
      name: 'Shop 2',
      tags: { env: 'test' },
      expiresAt: null,
    })
    expect(changesOf(job, { ...draft, end: '2030-05-07' })).to.deep.equal({ expiresAt: '2030-05-07T00:00:00Z' })
  })

  it('know tags of one name, and where the API says each stands', () => {
    const tags = ['a/b~c', 'x', 'x'].map((name) => ({ name, value: '' }))
    expect([namedTwice(tags), tagPlaces(tags)]).to.deep.equal([['x'], ['/tags/a~1b~0c', '/tags/x', '/tags/x']])
  })
})

describe('a policy that was typed', () => {
  it('has null for what it does not limit, and days as they were written', () => {
    const draft = {
      ...startDraft(undefined),
      name: 'Web',
      cloudAccountID: 'acct-1',
      type: 'aws-asg',
      uid: 'asg-1',
      up: '2',
    }
    const trigger = {
      preset: 'peak-hours',
      timezone: 'UTC',
      days: 'mon tue',
      start: '08:00',
      end: '',
      minCapacity: '3',
    }
    expect(bodyOf({ ...draft, triggers: [trigger] }, true)).to.deep.equal({
      name: 'Web',
      mode: 'monitor',
      cloudAccountID: 'acct-1',
      target: { type: 'aws-asg', uid: 'asg-1' },
      min: 1,
      max: 4,
      targetCPUPercent: 60,
      cooldownSeconds: 300,
      triggers: [{ preset: 'peak-hours', timezone: 'UTC', days: ['mon', 'tue'], start: '08:00', minCapacity: 3 }],
      adoption: null,
      step: { up: 2 },
      maxHourlyUSD: null,
    })
  })
})
