import { expect } from 'chai'
import { openMetricFile, type MetricReading } from '#streams/metric/reader.ts'
import { bytes } from '#test/streams/billing/reading.ts'

async function readAll(content: string): Promise<MetricReading[]> {
  const out: MetricReading[] = []
  for await (const reading of (await openMetricFile(bytes(content))).rows) out.push(reading)
  return out
}

const sample = { metric: 'cpu_percent', value: 12.5, ts: '2026-01-15T10:00:00.000Z' }

describe('reading a metric file', () => {
  it('gathers consecutive rows of a resource into one message', async () => {
    const content = [
      'resource_uid,metric,ts,value',
      'i-1,cpu_percent,2026-01-15T10:00:00Z,12.5',
      'i-1,memory_percent,2026-01-15 10:00:00,40',
      'i-2,cpu_percent,2026-01-15T11:00:00+01:00,1e1',
      'i-1,cpu_percent,2026-01-15T10:05:00Z,13',
    ].join('\n')
    expect(await readAll(content)).to.deep.equal([
      {
        row: 2,
        rows: 2,
        data: { resourceUid: 'i-1', samples: [sample, { ...sample, metric: 'memory_percent', value: 40 }] },
      },
      { row: 4, rows: 1, data: { resourceUid: 'i-2', samples: [{ ...sample, value: 10 }] } },
      {
        row: 5,
        rows: 1,
        data: { resourceUid: 'i-1', samples: [{ ...sample, ts: '2026-01-15T10:05:00.000Z', value: 13 }] },
      },
    ])
  })

  it('takes the highest value and the total where the file has them, row by row', async () => {
    const content = [
      'resource_uid,metric,ts,value,max,sum',
      'i-1,requests,2026-01-15T10:00:00Z,12.5,20,12.5',
      'i-1,cpu_percent,2026-01-15T10:00:00Z,12.5,,',
      'i-1,cpu_percent,2026-01-15T11:00:00Z,12.5,much,',
    ].join('\n')
    const [refused, read] = await readAll(content)
    expect(refused).to.include({ row: 4 })
    expect(read).to.deep.equal({
      row: 2,
      rows: 2,
      data: { resourceUid: 'i-1', samples: [{ ...sample, metric: 'requests', max: 20, sum: 12.5 }, sample] },
    })
  })

  it('cuts messages at 1,000 samples', async () => {
    const rows = Array.from({ length: 2500 }, (_, i) => `i-1,cpu_percent,${new Date(i * 1000).toISOString()},${i}`)
    const found = await readAll(`resource_uid,metric,ts,value\n${rows.join('\n')}\n`)
    expect(
      found.map((batch) => ('data' in batch ? [batch.row, batch.rows, batch.data.samples.length] : batch)),
    ).to.deep.equal([
      [2, 1000, 1000],
      [1002, 1000, 1000],
      [2002, 500, 500],
    ])
  })

  it('reads data, envelopes and single samples of JSON', async () => {
    const data = { resourceUid: 'i-1', samples: [sample] }
    const content = [
      JSON.stringify(data),
      JSON.stringify({ id: '1', type: 'metric.sample', schemaVersion: 1, orgId: 'o', time: sample.ts, data }),
      JSON.stringify({ resourceUid: 'i-1', ...sample }),
      JSON.stringify({ type: 'billing.line', data }),
    ].join('\n')
    expect(await readAll(content)).to.deep.equal([
      { row: 4, refused: { code: 'type_unexpected', message: 'The message is not a metric.sample.' } },
      { row: 1, rows: 3, data: { resourceUid: 'i-1', samples: [sample, sample, sample] } },
    ])
  })

  it('refuses each row that is no sample and goes on', async () => {
    const rows = [
      'i-1,cpu_percent,2026-01-15,',
      'i-1,cpu_percent,2026-01-15,abc',
      'i-1,speed,2026-01-15,1',
      'i-1,cpu_percent,2101-01-01,1',
    ]
    const found = await readAll(
      ['resource_uid,metric,ts,value', ...rows, ',cpu_percent,2026-01-15,1', 'i-1,cpu_percent,2026-01-15,1'].join('\n'),
    )
    expect(
      found.map((reading) => ('refused' in reading ? [reading.row, reading.refused.code] : reading.rows)),
    ).to.deep.equal([
      [2, 'validation_failed'],
      [3, 'validation_failed'],
      [4, 'validation_failed'],
      [5, 'date_invalid'],
      [6, 'validation_failed'],
      1,
    ])
  })

  it('refuses a file without its columns as a whole', async () => {
    const error: unknown = await readAll('a,b\n1,2\n').catch((thrown: unknown) => thrown)
    expect(String(error)).to.contain('missing: resource_uid, metric, ts, value')
  })
})
