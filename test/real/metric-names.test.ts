import { expect } from 'chai'
import { parse } from 'csv-parse/sync'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { metricMeanings } from '#streams/metric/messages.ts'
import { describeReal } from '#test/real/data.ts'

interface Declared {
  metric: string
  unit: string
  shape: string
  absent: string
}

describeReal('names of metrics', (folder) => {
  it('are those that the rules declare, with their units, shapes and what it means that there is no sample', () => {
    const declared: Declared[] = parse(readFileSync(join(folder, '..', 'rules', 'metrics.csv')), { columns: true })
    const meanings = Object.fromEntries(
      declared.map(({ metric, unit, shape, absent }) => [metric, { unit, shape, absent }]),
    )
    expect(metricMeanings).to.deep.equal(meanings)
  })
})
