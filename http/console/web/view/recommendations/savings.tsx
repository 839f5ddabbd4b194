/** What it would save, and what that figure rests on. */
import { timeText } from '../../day.ts'
import { share, usd } from '../../figure.ts'
import { Pairs, type Pair } from '../../part/pairs.tsx'
import { valueText, wordsOf } from '../../part/value-text.ts'
import { hrefOf } from '../../router.ts'
import { noteOf, Severity, Status } from './list.tsx'
import { priceText } from './fact-text.ts'
import { basisText, categoryName, confidenceText, type Detail } from './labels.ts'

export function SavingsEstimate({ data }: { data: Detail }) {
  const { savingsUsd, grossSavingsUsd, currentCostUsd, optimizedCostUsd, confidence, evidence, tierRates } = data
  const possible = evidence['possibleSavingUsd']
  const note = noteOf(data)
  const pairs: Pair[] = [
    [
      'Estimated savings',
      <>
        <strong>{usd(savingsUsd)}</strong> <span class="faint">per 30 days</span>
      </>,
    ],
    [
      'Current cost',
      <>
        {usd(currentCostUsd)} <span class="faint">per 30 days;</span>{' '}
        <a href={hrefOf('costs', { range: '30d', 'filter[resource_uid]': data.resourceUid })}>its bills</a>
      </>,
    ],
    ['Cost after', usd(optimizedCostUsd)],
    [
      'Savings on its own',
      <>
        {usd(grossSavingsUsd)}
        {grossSavingsUsd !== savingsUsd ? (
          <>
            {' '}
            <span class="faint">less in combination with the resource’s other recommendations</span>
          </>
        ) : (
          ''
        )}
      </>,
    ],
    ['Basis', basisText(evidence['savingBasis'])],
    [
      'Confidence',
      <>
        {share(confidence)} <span class="faint">{confidenceText(confidence)}</span>
      </>,
    ],
  ]
  return (
    <>
      <p>
        <Severity severity={data.severity} /> <Status one={data} />{' '}
        <span class="faint">
          {categoryName(data.category)} · priority {data.priority} of 100
        </span>
      </p>
      {note && (
        <p class="note" role="status">
          {note}
        </p>
      )}
      <Pairs pairs={pairs} label="Savings" />
      {typeof possible === 'number' && <p>As a risk, it counts no savings; it may save {usd(possible)} per 30 days.</p>}
      {tierRates && (
        <Pairs
          label="Hourly rates"
          pairs={Object.entries(tierRates).map(([name, rate]): Pair => [
            `${wordsOf(name)}, per hour`,
            `$${valueText(rate)}`,
          ])}
        />
      )}
      {Array.isArray(evidence['prices']) && (
        <Pairs label="List prices" pairs={evidence['prices'].map((price): Pair => priceText(price))} />
      )}
      {typeof evidence['factsAt'] === 'string' && (
        <p class="faint">Based on data as of {timeText(evidence['factsAt'])}.</p>
      )}
    </>
  )
}
