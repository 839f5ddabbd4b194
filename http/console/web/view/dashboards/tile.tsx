/** A saved view as a tile: its costs over time, or its anomalies. Its heading leads to the view. */
import { useRef } from 'preact/hooks'
import { Panel } from '../../part/panel.tsx'
import { hrefOfSaved, titles, type SavedView } from '../../part/saved-views.tsx'
import { isMailable } from '../../saved-query.ts'
import { Anomalies } from './anomalies.tsx'
import { Costs } from './costs.tsx'

/** What the person may do with the tile; undefined: nothing. */
export interface Arrange {
  place: number
  count: number
  move: (to: number) => void
  /** Another tile was dropped here. */
  drop: (from: number) => void
  remove: () => void
}

/** Of what is dragged: the place of a tile, so that nothing else is taken for one. */
const dragType = 'application/x-tidemark-tile'

export function Tile({ saved, arrange }: { saved: SavedView; arrange: Arrange | undefined }) {
  const title = titles.get(saved.view) ?? saved.view
  const drag = arrange && {
    draggable: true,
    onDragStart: ({ dataTransfer }: DragEvent) => dataTransfer?.setData(dragType, String(arrange.place)),
  }
  const over = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes(dragType)) event.preventDefault()
  }
  const drop = (event: DragEvent) => {
    const from = event.dataTransfer?.getData(dragType)
    if (!arrange || from === undefined || from === '') return
    event.preventDefault()
    arrange.drop(Number(from))
  }
  return (
    <div class="board-tile" onDragOver={over} onDrop={drop}>
      <Panel
        title={saved.name}
        about={
          <a href={hrefOfSaved(saved)} aria-label={`${title}: ${saved.name}`} {...drag}>
            {title}
          </a>
        }
        tools={arrange && <Buttons name={saved.name} arrange={arrange} drag={drag} />}
      >
        <Content saved={saved} />
      </Panel>
    </div>
  )
}

function Content({ saved }: { saved: SavedView }) {
  const { view, query } = saved
  if (!isMailable(view))
    return (
      <p class="faint">
        Not drawn here. <a href={hrefOfSaved(saved)}>Open it</a>
      </p>
    )
  return view === 'anomalies' ? (
    <Anomalies view={view} query={query} />
  ) : (
    <Costs title={saved.name} view={view} query={query} />
  )
}

interface ButtonsProps {
  name: string
  arrange: Arrange
  drag: object | undefined
}

function Buttons({ name, arrange: { place, count, move, remove }, drag }: ButtonsProps) {
  const box = useRef<HTMLSpanElement>(null)
  const by = (step: number) => (event: Event) => {
    const button = event.currentTarget as HTMLButtonElement
    move(place + step)
    // The tile moves with its buttons, which lose the focus then.
    requestAnimationFrame(() => {
      const next = button.disabled ? box.current?.querySelector<HTMLButtonElement>('button:enabled') : button
      next?.focus()
    })
  }
  return (
    <span ref={box} class="nowrap">
      <span class="grip" title="Drag to move" aria-hidden="true" {...drag}>
        ⠿
      </span>
      <button
        type="button"
        class="quiet"
        disabled={place === 0}
        aria-label={`Move ${name} earlier`}
        title="Move earlier"
        onClick={by(-1)}
      >
        ←
      </button>
      <button
        type="button"
        class="quiet"
        disabled={place === count - 1}
        aria-label={`Move ${name} later`}
        title="Move later"
        onClick={by(1)}
      >
        →
      </button>
      <button type="button" class="quiet" aria-label={`Remove ${name}`} title="Remove" onClick={remove}>
        ✕
      </button>
    </span>
  )
}
