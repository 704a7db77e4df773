import { stageRepository, type StageRepository } from './stage-repository.ts';
import type { Login, Stage } from './stage.ts';

/** Somebody's fork, which the bot is not installed on, so that nothing of the bot's follows what happens there. */
export function forkOf(stage: Stage, login: Login, name: string): StageRepository {
  return stageRepository({
    forge: stage.forge,
    as: () => stage.as(login),
    idle: () => stage.forge.settled(),
    owner: login,
    name,
  });
}
