/** What it would save, and what that figure rests on. */
import { html } from '../../html.ts'
import { timeText } from '../../day.ts'
import { share, usd } from '../../figure.ts'
import { Pairs, valueText, wordsOf, type Pair } from '../../part/pairs.ts'
import { hrefOf } from '../../place.ts'
import { noteOf, Severity, Status } from './list.ts'
import { basisText, categoryName, confidenceText, type Detail } from './words.ts'

export function Saves({ data }: { data: Detail }) {
  const { savingsUsd, grossSavingsUsd, currentCostUsd, optimizedCostUsd, confidence, evidence, tierRates } = data
  const possible = evidence['possibleSavingUsd']
  const note = noteOf(data)
  const pairs: Pair[] = [
    ['It would save', html`<strong>${usd(savingsUsd)}</strong> <span class="faint">estimated, of 30 days</span>`],
    [
      'Costs now',
      html`${usd(currentCostUsd)} <span class="faint">of 30 days;</span>${' '}<a href=${hrefOf('costs', { range: '30d', 'filter[resource_uid]': data.resourceUid })}>its bills</a>`,
    ],
    ['Would cost', usd(optimizedCostUsd)],
    [
      'Alone it would save',
      html`${usd(grossSavingsUsd)}${grossSavingsUsd !== savingsUsd ? html` <span class="faint">beside the others of the resource less</span>` : ''}`,
    ],
    ['Rests on', basisText(evidence['savingBasis'])],
    ['Sure to', html`${share(confidence)} <span class="faint">${confidenceText(confidence)}</span>`],
  ]
  return html`<p><${Severity} severity=${data.severity} />${' '}<${Status} one=${data} />${' '}<span class="faint">${categoryName(data.category)} · priority ${data.priority} of 100</span></p>
    ${note && html`<p class="note" role="status">${note}</p>`}
    <${Pairs} pairs=${pairs} label="What it would save" />
    ${typeof possible === 'number' && html`<p>As a risk it counts as no saving; ${usd(possible)} of 30 days may come with it.</p>`}
    ${tierRates && html`<${Pairs} label="Rates an hour" pairs=${Object.entries(tierRates).map(([name, rate]): Pair => [`${wordsOf(name)}, an hour`, `$${valueText(rate)}`])} />`}
    ${typeof evidence['factsAt'] === 'string' && html`<p class="faint">Of what was known at ${timeText(evidence['factsAt'])}.</p>`}`
}
