/** Loaded before the product's entry (`node --import`): the process is then the whole product and one actor kind more. */
import 'reflect-metadata'
import type { Actor } from '#engine/actor/actor.ts'
import type { Subject } from '#engine/actor/subject.ts'
import { actors } from '#actors/index.ts'
import { subjects } from '#streams/index.ts'
import { entities } from '#config/state/connect.ts'
import { ChaosProbe, probeActor, probeSubjects } from '#test/harness/probe.ts'

;(actors as Actor[]).push(probeActor as unknown as Actor)
;(subjects as Subject[]).push(...probeSubjects)
;(entities as unknown[]).push(ChaosProbe)
