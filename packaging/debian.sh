# Sourced by the scripts beside it: gets Debian packages for what is missing, if this user may.

needed=()

# need_commands COMMAND:PACKAGE...: remembers the packages of commands that are not there.
need_commands() {
  local pair
  for pair in "$@"; do
    command -v "${pair%%:*}" >/dev/null || needed+=("${pair#*:}")
  done
}

# need_files PATTERN:PACKAGE...: the same by file.
need_files() {
  local pair
  for pair in "$@"; do
    compgen -G "${pair%%:*}" >/dev/null || needed+=("${pair#*:}")
  done
}

# install_needed: one attempt; going on without is for the caller to judge.
install_needed() {
  [ ${#needed[@]} -gt 0 ] || return 0
  local as=()
  if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      as=(sudo -n)
    else
      echo "not installed, and not allowed to: ${needed[*]}" >&2
      return 0
    fi
  fi
  if ! command -v apt-get >/dev/null; then
    echo "not installed, and no apt-get here: ${needed[*]}" >&2
    return 0
  fi
  echo "installing ${needed[*]}" >&2
  "${as[@]}" apt-get -qq update </dev/null >&2 || true
  # One by one: a package that this release does not have must not keep the others away.
  local package
  for package in "${needed[@]}"; do
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
      "$package" </dev/null >&2 || echo "could not install $package" >&2
  done
  needed=()
}
