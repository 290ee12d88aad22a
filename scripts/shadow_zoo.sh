#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes a zoo of a problem set's own references, as candidates whose verdict is known: what a protocol must take and refuse at the
# problems' own sizes. `kbv zoo --folder OUT --suite CLONE/KernelBench` judges it.
# usage: scripts/shadow_zoo.sh PROBLEMS OUT [KIND...]
#   PROBLEMS  a folder with level1, level2, level3 (KernelBench's own is CLONE/KernelBench), or one of problem files, such as suite
#   KIND      same      the Model as it is: must pass
#             tf32      with TF32 for all products and convolutions: must pass
#             compiled  through torch.compile: must pass
#             cpu       computed on the CPU: must pass
#             bf16      with autocast to bfloat16, the output cast back: must fail where there is a product or a convolution
#             fp16_inputs  every floating input rounded to float16 first: must fail
#   (default: same tf32)
set -euo pipefail

(($# >= 2)) || {
  sed -n '5,14s/^# //p' "${BASH_SOURCE[0]}"
  exit 2
}
problems=$(realpath "$1") out=$2
shift 2
kinds=("$@")
((${#kinds[@]})) || kinds=(same tf32)

shadow() {
  case $1 in
    same) echo 'ModelNew = Model' ;;
    tf32)
      echo 'torch.backends.cuda.matmul.allow_tf32 = True'
      echo 'torch.backends.cudnn.allow_tf32 = True'
      echo 'ModelNew = Model'
      ;;
    compiled) printf 'def ModelNew(*arguments):\n    return torch.compile(Model(*arguments))\n' ;;
    cpu)
      cat <<'PYTHON'
import copy

def moved(value, device):
    if torch.is_tensor(value):
        return value.to(device)
    return type(value)(moved(each, device) for each in value) if isinstance(value, (tuple, list)) else value

class ModelNew(Model):
    def forward(self, *arguments):
        device = next(value.device for value in arguments if torch.is_tensor(value))
        on_cpu = copy.deepcopy(self).cpu()
        return moved(Model.forward(on_cpu, *(moved(value, "cpu") for value in arguments)), device)
PYTHON
      ;;
    bf16)
      cat <<'PYTHON'
class ModelNew(Model):
    def forward(self, *arguments):
        with torch.autocast(arguments[0].device.type, torch.bfloat16):
            outputs = super().forward(*arguments)
        cast = lambda y: y.float() if torch.is_tensor(y) and y.dtype == torch.bfloat16 else y
        return type(outputs)(cast(y) for y in outputs) if isinstance(outputs, (tuple, list)) else cast(outputs)
PYTHON
      ;;
    fp16_inputs)
      cat <<'PYTHON'
class ModelNew(Model):
    def forward(self, *arguments):
        rounded = lambda x: x.half().float() if torch.is_tensor(x) and x.dtype == torch.float32 else x
        return super().forward(*(rounded(x) for x in arguments))
PYTHON
      ;;
    *)
      echo "shadow_zoo.sh: no kind $1" >&2
      exit 2
      ;;
  esac
}

mkdir -p "$out"
: >"$out/zoo.toml"
shopt -s nullglob
folders=("$problems"/level[123])
((${#folders[@]})) || folders=("$problems")
for folder in "${folders[@]}"; do
  level=${folder#"$problems"}
  level=${level#/}
  while read -r problem; do
    name=${level:+$level/}$(basename "$problem" .py)
    for kind in "${kinds[@]}"; do
      file=$kind/$name.py
      mkdir -p "$out/$kind/$level"
      { cat "$problem" && printf '\n\nimport torch\n' && shadow "$kind"; } >"$out/$file"
      case $kind in same | tf32 | compiled | cpu) expect=correct ;; *) expect=rejected ;; esac
      printf '[[candidate]]\nfile = "%s"\ngroup = "%s"\nproblem = "%s"\nexpect = "%s"\n\n' \
        "$file" "${level:+$level }$kind" "$name" "$expect" >>"$out/zoo.toml"
    done
  done < <(find "$folder" -maxdepth 1 -name '*.py' ! -name '_*' | sort -V)
done
echo "$(grep -c '^file' "$out/zoo.toml") candidates in $out/zoo.toml"
