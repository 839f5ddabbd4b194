/** The hours of a week in which targets are on: chosen by days and times, and drawn hour by hour. */
import { TextField } from '../../part/form.tsx'
import { dayNames, hoursOf, rulesOf, rulesText, weekGrid, type ScheduleRule, type WeekHours } from './week.ts'

interface HoursProps {
  rules: readonly ScheduleRule[]
  onRules: (rules: ScheduleRule[]) => void
}

export function WeekHours({ rules, onRules }: HoursProps) {
  const hours = hoursOf(rules)
  if (!hours) return <WeekGrid rules={rules} />
  const set = (changes: Partial<WeekHours>) => onRules(rulesOf({ ...hours, ...changes }))
  const put = (day: number, isOn: boolean) => {
    const days = isOn ? [...hours.days, day].toSorted() : hours.days.filter((one) => one !== day)
    if (days.length > 0) set({ days })
  }
  return (
    <>
      <fieldset class="week-days">
        <legend>On</legend>
        <div class="bar">
          {dayNames.map((name, day) => (
            <label class="check" key={name}>
              <input
                type="checkbox"
                checked={hours.days.includes(day)}
                onChange={(event: Event) => put(day, (event.target as HTMLInputElement).checked)}
              />
              <span>{name}</span>
            </label>
          ))}
        </div>
        <TextField label="On from" type="time" value={hours.from} onValue={(from: string) => from && set({ from })} />
        <TextField label="On until" type="time" value={hours.to} onValue={(to: string) => to && set({ to })} />
      </fieldset>
      <WeekGrid rules={rules} />
    </>
  )
}

export function WeekGrid({ rules }: { rules: readonly ScheduleRule[] }) {
  const grid = weekGrid(rules)
  const text = rulesText(rules).join('; ')
  if (!grid) return <p>{text}</p>
  const isOff = grid.filter((on) => on === false).length
  return (
    <figure class="week" aria-label={text}>
      <figcaption>
        {text}. <span class="faint">{isOff} of 168 hours a week off.</span>
      </figcaption>
      <div class="week-grid" aria-hidden="true">
        {dayNames.map((name, day) => (
          <div class="week-row" key={name}>
            <span class="faint">{name}</span>
            {grid.slice(day * 24, day * 24 + 24).map((on, hour) => (
              // oxlint-disable-next-line react/no-array-index-key -- an hour is its place
              <i key={hour} class={on === false ? 'off' : 'on'} title={`${name} ${hour}:00`} />
            ))}
          </div>
        ))}
        <div class="week-row faint">
          <span />
          {['00', '06', '12', '18'].map((hour) => (
            <span class="week-hour" key={hour}>
              {hour}
            </span>
          ))}
        </div>
      </div>
    </figure>
  )
}
