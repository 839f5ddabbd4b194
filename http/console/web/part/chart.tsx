/** Values over periods, drawn as a chart: its code, with the drawing library, is loaded with the first one. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ChartProps } from '../chart/props.ts'
import { problemOf, type Problem } from '../problem.ts'
import { Loading, ProblemMessage } from './report-content.tsx'

export type { Mark } from './series.ts'

type Figure = ComponentType<ChartProps>

let loaded: Figure | undefined

export function Chart(props: ChartProps) {
  const [Figure, setFigure] = useState<Figure | undefined>(() => loaded)
  const [problem, setProblem] = useState<Problem | undefined>()
  useEffect(() => {
    if (loaded) return
    import('../chart/figure.tsx').then(
      ({ ChartFigure }) => {
        loaded = ChartFigure
        setFigure(() => ChartFigure)
      },
      (error: unknown) => setProblem(problemOf(error)),
    )
  }, [])
  if (problem) return <ProblemMessage problem={problem} again={() => location.reload()} />
  return Figure ? <Figure {...props} /> : <Loading rows={10} />
}
